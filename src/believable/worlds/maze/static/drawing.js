// @ts-check
/**
 * Draws the round with the painter and the looks of the replay player, so that the recording later looks the same.
 * @typedef {import("/static/players/replay/scene.js").Scene} Scene
 * @typedef {{x: number, y: number, heading: number}} Pose
 */
import { paint, wholeWorld } from "/static/players/replay/painter.js";
import { displayList } from "/static/players/replay/scene.js";
import { TILE } from "./rules.js";

/** @param {HTMLCanvasElement} canvas @param {Scene} scene @param {number} width tiles in a row */
export function createDrawing(canvas, scene, width) {
  const context = /** @type {CanvasRenderingContext2D} */ (
    canvas.getContext("2d", { alpha: false })
  );
  canvas.style.aspectRatio = `${scene.width} / ${scene.height}`;

  function fit() {
    const density = globalThis.devicePixelRatio || 1;
    const size = {
      width: Math.round(canvas.clientWidth * density),
      height: Math.round(canvas.clientHeight * density),
    };
    if (size.width && size.height && (canvas.width !== size.width || canvas.height !== size.height))
      Object.assign(canvas, size);
  }

  return {
    /**
     * @param {Pose & {missiles: import("./rules.js").Missile[]}} player @param {Pose | null} opponent null where fog hides it
     * @param {import("./prediction.js").Picture} picture health and fires
     */
    draw(player, opponent, picture) {
      fit();
      const [, , , health = 0, face = 0] = picture.o ?? [];
      /** @type {Record<string, [string, Pose, number, number?][]>} */
      const figures = {
        player: [["player", player, picture.p[3]]],
        opponent: opponent ? [["opponent", opponent, health, face]] : [],
        fire: picture.f.map((tile) => [`fire-${tile}`, middle(tile, width), 0]),
        bullet: player.missiles
          .filter(({ bomb }) => !bomb)
          .map((missile) => [`missile-${missile.id}`, { ...missile, heading: 0 }, 0]),
        bomb: player.missiles
          .filter(({ bomb }) => bomb)
          .map((missile) => [`missile-${missile.id}`, { ...missile, heading: 0 }, 0]),
      };
      for (const [id, role, x, y, heading] of picture.x)
        (figures[role] ??= []).push([`effect-${id}`, { x, y, heading }, 0]);
      const tracks = new Map(
        Object.values(figures)
          .flat()
          .map(([id, pose, health, face]) => [id, track(pose, health, face)]),
      );
      const sprites = scene.sprites.flatMap((sprite) =>
        (figures[sprite.actor] ?? []).map(([id]) => ({ ...sprite, actor: id })),
      );
      const moment = /** @type {any} */ ({ tracks, frameMs: 1, frames: 1 });
      paint(
        context,
        displayList({ ...scene, sprites }, moment, 0),
        wholeWorld(scene, canvas.width, canvas.height),
        scene.background,
      );
    },

    /** Where in the world a point of the window is. @param {number} x @param {number} y @returns {[number, number]} */
    toTiles(x, y) {
      const box = canvas.getBoundingClientRect();
      const density = canvas.width / box.width;
      const camera = wholeWorld(scene, canvas.width, canvas.height);
      const at = (
        /** @type {number} */ px,
        /** @type {number} */ size,
        /** @type {number} */ centre,
      ) => (px * density - size / 2) / camera.pxPerTile + centre;
      return [
        TILE * at(x - box.left, canvas.width, camera.x),
        TILE * at(y - box.top, canvas.height, camera.y),
      ];
    },
  };
}

/** A track of one frame, as the replay player's display list reads it. @param {Pose} pose @param {number} health @param {number} [face] 1 tense, 2 furious */
function track({ x, y, heading }, health, face) {
  const states = Object.entries({ health, tense: face === 1, furious: face === 2 });
  return {
    x: [x],
    y: [y],
    heading: [heading],
    first: 0,
    states: new Map(states.map(([key, value]) => [key, [{ frame: 0, value }]])),
  };
}

/** @param {number} tile @param {number} width @returns {Pose} */
function middle(tile, width) {
  return {
    x: ((tile % width) + 0.5) * TILE,
    y: (Math.floor(tile / width) + 0.5) * TILE,
    heading: 0,
  };
}
