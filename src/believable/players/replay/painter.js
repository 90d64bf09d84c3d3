// @ts-check
/**
 * Paints display lists on a canvas. The video rasteriser (`believable.stimuli.raster`) paints the same lists.
 * @typedef {import("./scene.js").Shape} Shape
 * @typedef {{x: number, y: number, pxPerTile: number}} Camera
 * @typedef {{x: number, y: number, w: number, h: number}} Box upper left corner and size, in pixels
 */

const FONT = "system-ui, sans-serif";
const BUBBLE_CHARACTERS = 36;

/** @param {CanvasRenderingContext2D} context @param {Shape[]} shapes @param {Camera} camera @param {string} background */
export function paint(context, shapes, camera, background) {
  const { width, height } = context.canvas;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = background;
  context.fillRect(0, 0, width, height);
  const scale = camera.pxPerTile;
  const left = Math.floor(width / 2 - camera.x * scale + 0.5); // whole pixels: tiles meet without a seam
  const top = Math.floor(height / 2 - camera.y * scale + 0.5);
  /** @type {Box[]} */ const names = [];
  for (const shape of shapes) {
    context.fillStyle = shape.fill;
    const x = left + (shape.x ?? 0) * scale;
    const y = top + (shape.y ?? 0) * scale;
    const r = (shape.r ?? 0) * scale;
    switch (shape.kind) {
      case "rect":
        context.fillRect(x, y, (shape.w ?? 0) * scale, (shape.h ?? 0) * scale);
        break;
      case "circle":
        context.beginPath();
        context.arc(x, y, r, 0, 2 * Math.PI);
        context.fill();
        break;
      case "sector":
        context.beginPath();
        context.moveTo(x, y);
        context.arc(x, y, r, radians(shape.from_deg ?? 0), radians(shape.to_deg ?? 360));
        context.fill();
        break;
      case "star":
      case "poly":
        context.beginPath();
        for (const [px, py] of shape.points ?? [])
          context.lineTo(left + px * scale, top + py * scale);
        context.fill();
        break;
      case "text":
        names.push(...words(context, shape, x, y, scale));
        break;
      case "bubble":
        bubble(context, shape, x, y, scale, names);
        break;
    }
  }
}

/** @param {{width: number, height: number, left: number, top: number}} scene @param {number} width @param {number} height @returns {Camera} that shows everything */
export function wholeWorld(scene, width, height) {
  const scale = Math.min(width / scene.width, height / scene.height);
  return {
    x: scene.left + scene.width / 2,
    y: scene.top + scene.height / 2,
    pxPerTile: scale >= 4 ? Math.floor(scale) : scale,
  };
}

/** @param {number} degrees */
function radians(degrees) {
  return (degrees * Math.PI) / 180;
}

/** @param {Shape} shape @param {number} scale */
function sizePx(shape, scale) {
  return Math.max(11, Math.round((shape.size ?? 1) * scale));
}

/** @param {CanvasRenderingContext2D} context @param {Shape} shape @param {number} x @param {number} y @param {number} scale @returns {Box[]} what it fills */
function words(context, shape, x, y, scale) {
  context.font = `${sizePx(shape, scale)}px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const text = shape.text ?? "";
  const width = context.measureText(text).width;
  if (shape.w && width > shape.w * scale) return [];
  const height = sizePx(shape, scale);
  if (shape.halo) {
    Object.assign(context, { strokeStyle: shape.halo, lineWidth: height / 4, lineJoin: "round" });
    context.strokeText(text, x, y);
  }
  context.fillText(text, x, y);
  return [{ x: x - width / 2, y: y - height / 2, w: width, h: height }];
}

/** Of somebody out of sight there is none. @param {CanvasRenderingContext2D} context @param {Shape} shape @param {number} x @param {number} y its foot @param {number} scale @param {Box[]} names what it should not cover; it is added */
function bubble(context, shape, x, y, scale, names) {
  if (
    x < -scale ||
    y < -scale ||
    x > context.canvas.width + scale ||
    y > context.canvas.height + scale
  )
    return;
  const size = Math.min(sizePx(shape, scale), 18);
  context.font = `${size}px ${FONT}`;
  const lines = inLines(drawable(context, shape.text ?? ""), BUBBLE_CHARACTERS);
  const width = Math.max(...lines.map((line) => context.measureText(line).width)) + size;
  const height = lines.length * size * 1.25 + size * 0.6;
  const place = bubblePlace({ x, y, w: width, h: height }, scale, names, context.canvas);
  names.push(place);
  x = place.x + width / 2;
  y = place.y + height;
  context.globalAlpha = 0.92;
  context.beginPath();
  context.roundRect(x - width / 2, y - height, width, height, size * 0.5);
  context.fill();
  context.globalAlpha = 1;
  context.fillStyle = "#26303a";
  context.textAlign = "center";
  context.textBaseline = "middle";
  lines.forEach((line, i) => context.fillText(line, x, y - height + size * (0.95 + 1.25 * i)));
}

/**
 * Above the figure, unless that covers a name: then below, right or left of it, wherever it covers least. All of it stays in the picture.
 * @param {Box} wanted x of its middle, y of its foot @param {number} scale @param {Box[]} names @param {{width: number, height: number}} room @returns {Box}
 */
export function bubblePlace({ x, y, w, h }, scale, names, room) {
  const middles = [
    [x, y - h / 2],
    [x, y + 2.4 * scale + h / 2],
    [x + scale + w / 2, y + 0.8 * scale],
    [x - scale - w / 2, y + 0.8 * scale],
  ];
  const places = middles.map(([across, down]) => ({
    x: within(across, w, room.width) - w / 2,
    y: within(down, h, room.height) - h / 2,
    w,
    h,
  }));
  const covered = places.map((place) => names.reduce((sum, name) => sum + shared(place, name), 0));
  return places[covered.indexOf(Math.min(...covered))];
}

/** How many pixels two boxes share. @param {Box} a @param {Box} b */
function shared(a, b) {
  const across = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
  const down = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  return across > 0 && down > 0 ? across * down : 0;
}

/** Where the middle of something must be so that all of it is in the picture. @param {number} x @param {number} width @param {number} room */
function within(x, width, room) {
  return width >= room ? room / 2 : Math.min(Math.max(x, width / 2), room - width / 2);
}

/** @type {Map<string, string>} */
const drawn = new Map();

/**
 * The text without what no font here can draw (emoji on some machines); never empty, so that the bubble still says that
 * something was said. @param {CanvasRenderingContext2D} context @param {string} text
 */
function drawable(context, text) {
  const key = `${context.font} ${text}`;
  let known = drawn.get(key);
  if (known === undefined) {
    const missing = context.measureText("\u{10FFFD}").width;
    known =
      Array.from(text)
        .filter((c) => c < "\u2000" || context.measureText(c).width !== missing)
        .join("")
        .trim() || "…";
    if (drawn.size > 500) drawn.clear();
    drawn.set(key, known);
  }
  return known;
}

/** @param {string} text @param {number} width @returns {string[]} at most four lines */
function inLines(text, width) {
  /** @type {string[]} */ const lines = [""];
  for (const word of text.split(/\s+/)) {
    const last = lines.length - 1;
    if (lines[last] && lines[last].length + 1 + word.length > width) lines.push(word);
    else lines[last] = `${lines[last]} ${word}`.trim();
  }
  return lines.slice(0, 4);
}
