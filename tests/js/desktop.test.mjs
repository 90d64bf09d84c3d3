import assert from "node:assert/strict";
import { test } from "node:test";
import { isDesktop } from "../../src/believable/web/static/participant/desktop.js";

const WINDOWS =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const MAC =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15";
const PIXEL =
  "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36";
const TABLET =
  "Mozilla/5.0 (Linux; Android 15; SM-X910) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const computer = {
  userAgent: WINDOWS,
  mobile: false,
  touchPoints: 0,
  touchFirst: false,
  fine: true,
};

test("computers fit, whatever their scaling, with a touch screen, and without any mouse", () => {
  assert.equal(isDesktop(computer), true);
  assert.equal(isDesktop({ ...computer, touchPoints: 10 }), true);
  assert.equal(isDesktop({ ...computer, touchPoints: 10, touchFirst: true }), true); // a convertible with its keyboard
  assert.equal(isDesktop({ ...computer, fine: false }), true);
  assert.equal(isDesktop({ ...computer, userAgent: MAC, mobile: undefined }), true);
});

test("phones and tablets do not", () => {
  assert.equal(
    isDesktop({ userAgent: PIXEL, mobile: true, touchPoints: 5, touchFirst: true, fine: false }),
    false,
  );
  assert.equal(
    isDesktop({ userAgent: PIXEL, touchPoints: 5, touchFirst: true, fine: true }),
    false,
  ); // with a mouse
  assert.equal(
    isDesktop({ userAgent: TABLET, mobile: false, touchPoints: 10, touchFirst: true, fine: false }),
    false,
  );
  assert.equal(isDesktop({ userAgent: MAC, touchPoints: 5, touchFirst: true, fine: false }), false); // iPadOS
  assert.equal(isDesktop({ ...computer, touchPoints: 5, touchFirst: true, fine: false }), false); // a tablet with Windows
});
