// @ts-check
/** Where the camera stands: the whole world, or near and following an actor. Pure but for the pointer events it listens to. */
import { poseAt } from "./scene.js";
import { wholeWorld } from "./painter.js";

export const ZOOM_STEP = 1.25;
const MAX_PX_PER_TILE = 96;

/**
 * @param {import("./scene.js").Scene} scene
 * @param {import("./scene.js").Recording} replay
 * @param {HTMLCanvasElement} canvas
 */
export function view(scene, replay, canvas) {
  let zoom = 1;
  /** @type {string | null} */
  let followed = null;
  let centre = { x: scene.width / 2, y: scene.height / 2 };

  const whole = () => wholeWorld(scene, canvas.width, canvas.height);
  const pxPerTile = () => (zoom === 1 ? whole().pxPerTile : Math.max(1, Math.round(whole().pxPerTile * zoom)));

  /** @param {number} x @param {number} y keeps the picture inside the world */
  function within(x, y) {
    const scale = pxPerTile();
    const half = { x: canvas.width / scale / 2, y: canvas.height / scale / 2 };
    const clamp = (/** @type {number} */ v, /** @type {number} */ h, /** @type {number} */ size) =>
      h * 2 >= size ? size / 2 : Math.min(Math.max(v, h), size - h);
    return { x: clamp(x, half.x, scene.width), y: clamp(y, half.y, scene.height) };
  }

  /** @type {{x: number, y: number} | null} */
  let grabbed = null;
  canvas.addEventListener("pointerdown", (event) => {
    grabbed = { x: event.clientX, y: event.clientY };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!grabbed || zoom === 1) return;
    const scale = (pxPerTile() * canvas.clientWidth) / canvas.width;
    followed = null;
    centre = within(centre.x - (event.clientX - grabbed.x) / scale, centre.y - (event.clientY - grabbed.y) / scale);
    grabbed = { x: event.clientX, y: event.clientY };
  });
  canvas.addEventListener("pointerup", () => { grabbed = null; });

  return {
    get zoom() { return zoom; },
    get followed() { return followed; },
    /** @param {number} factor */
    zoomBy: (factor) => {
      const most = Math.max(1, MAX_PX_PER_TILE / whole().pxPerTile);
      zoom = Math.min(Math.max(zoom * factor, 1), most);
      if (zoom < 1.01) zoom = 1;
    },
    /** @param {string | null} actor */
    follow: (actor) => {
      followed = actor;
      if (actor && zoom === 1) zoom = Math.max(1, 24 / whole().pxPerTile);
    },
    /** @param {number} tMs @returns {import("./painter.js").Camera} */
    camera: (tMs) => {
      const track = followed ? replay.tracks.get(followed) : undefined;
      const pose = track && poseAt(track, Math.min(tMs / replay.frameMs, replay.frames - 1));
      if (pose) centre = { x: pose.x, y: pose.y };
      return zoom === 1 ? whole() : { ...within(centre.x, centre.y), pxPerTile: pxPerTile() };
    },
  };
}
