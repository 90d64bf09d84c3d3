// @ts-check
/** Where the camera stands: the whole world, or near and following an actor. Pure but for the pointer events it listens to. */
import { poseAt } from "./scene.js";
import { wholeWorld } from "./painter.js";

export const ZOOM_STEP = 1.25;
const MAX_PX_PER_TILE = 96;
const FOLLOW_PX_PER_TILE = 24;

/**
 * @param {import("./scene.js").Scene} scene
 * @param {import("./scene.js").Recording} replay
 * @param {HTMLCanvasElement} canvas
 * @param {boolean} movable whether the person may zoom and drag
 * @param {() => void} onChange after each change of zoom or of whom it follows
 */
export function view(scene, replay, canvas, movable, onChange) {
  let zoom = 1;
  /** @type {string | null} */
  let followed = null;
  let centre = { x: scene.left + scene.width / 2, y: scene.top + scene.height / 2 };

  const whole = () => wholeWorld(scene, canvas.width, canvas.height);
  const pxPerTile = () =>
    zoom === 1 ? whole().pxPerTile : Math.max(1, Math.round(whole().pxPerTile * zoom));

  /** @param {number} x @param {number} y keeps the picture inside the world */
  function within(x, y) {
    const scale = pxPerTile();
    const half = { x: canvas.width / scale / 2, y: canvas.height / scale / 2 };
    const clamp = (
      /** @type {number} */ v,
      /** @type {number} */ h,
      /** @type {number} */ from,
      /** @type {number} */ size,
    ) => (h * 2 >= size ? from + size / 2 : Math.min(Math.max(v, from + h), from + size - h));
    return {
      x: clamp(x, half.x, scene.left, scene.width),
      y: clamp(y, half.y, scene.top, scene.height),
    };
  }

  /** @param {number} value @param {string | null} actor */
  function change(value, actor) {
    const most = Math.max(1, MAX_PX_PER_TILE / whole().pxPerTile);
    const next = Math.min(Math.max(value, 1), most);
    const before = `${zoom} ${followed}`;
    zoom = next < 1.01 ? 1 : next;
    followed = actor;
    canvas.classList.toggle("grabbable", movable && zoom > 1);
    if (before !== `${zoom} ${followed}`) onChange();
  }

  /** @type {{x: number, y: number} | null} */
  let grabbed = null;
  /** @param {PointerEvent} event */
  function drag(event) {
    if (!grabbed || zoom === 1) return;
    const scale = (pxPerTile() * canvas.clientWidth) / canvas.width;
    if (followed !== null) change(zoom, null);
    centre = within(
      centre.x - (event.clientX - grabbed.x) / scale,
      centre.y - (event.clientY - grabbed.y) / scale,
    );
    grabbed = { x: event.clientX, y: event.clientY };
  }
  if (movable) {
    canvas.addEventListener("pointerdown", (event) => {
      grabbed = { x: event.clientX, y: event.clientY };
      canvas.setPointerCapture(event.pointerId);
      canvas.classList.add("grabbed");
    });
    canvas.addEventListener("pointermove", drag);
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, () => {
        grabbed = null;
        canvas.classList.remove("grabbed");
      });
    }
  }

  return {
    get zoom() {
      return zoom;
    },
    get followed() {
      return followed;
    },
    /** @param {number} factor */
    zoomBy: (factor) => change(zoom * factor, followed),
    /** Comes near where it was far away. @param {string | null} actor */
    follow: (actor) =>
      change(
        actor !== null && zoom === 1
          ? FOLLOW_PX_PER_TILE / whole().pxPerTile
          : actor === null
            ? 1
            : zoom,
        actor,
      ),
    /** @param {number} tMs @returns {import("./painter.js").Camera} */
    camera: (tMs) => {
      const track = followed ? replay.tracks.get(followed) : undefined;
      const pose = track && poseAt(track, Math.min(tMs / replay.frameMs, replay.frames - 1));
      if (pose) centre = { x: pose.x, y: pose.y };
      return zoom === 1 ? whole() : { ...within(centre.x, centre.y), pxPerTile: pxPerTile() };
    },
  };
}
