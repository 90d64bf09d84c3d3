// @ts-check
/** The board on the page. */
import { unpredicted } from "/static/play/game.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function begin({ canvas, welcome, active }) {
  const down = new Set();
  const leaving = new AbortController();
  addEventListener(
    "keydown",
    (event) => {
      if (active() && event.code in STEPS) {
        down.add(event.code);
        event.preventDefault();
      }
    },
    leaving,
  );
  addEventListener("keyup", (event) => down.delete(event.code), leaving);
  Object.assign(canvas, { width: 400, height: 400 });
  const context = canvas.getContext("2d");
  const square = 400 / welcome.size;

  return {
    own: unpredicted(),
    sample: () =>
      [...down]
        .reduce(([x, y], code) => [x + STEPS[code][0], y + STEPS[code][1]], [0, 0])
        .map(Math.sign),
    hear(picture) {
      canvas.dataset.player = picture.p.join(",");
      canvas.dataset.gems = JSON.stringify(picture.g);
    },
    draw({ picture }) {
      context.clearRect(0, 0, 400, 400);
      for (const [colour, places] of [
        ["#f2c14e", picture.g],
        ["#c8553d", [picture.o]],
        ["#2f6690", [picture.p]],
      ]) {
        context.fillStyle = colour;
        for (const [x, y] of places)
          context.fillRect(x * square + 8, y * square + 8, square - 16, square - 16);
      }
    },
    release: () => down.clear(),
    quiet_ms: Infinity,
    destroy: () => leaving.abort(),
  };
}
