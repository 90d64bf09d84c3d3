// @ts-check
/**
 * A map beside the picture: walls, the goal, and the own figure with its heading. A world sends `mini_map` in its welcome and
 * `p` in each picture: position in units, height, and heading in tenths of a degree, counterclockwise from the east.
 *
 * @typedef {object} PlanOfMap
 * @property {string[]} walls rows from the north, `.` is open @property {number} left @property {number} top
 * @property {number} tile units of a tile @property {[number, number] | null} goal in units
 */

const TILE_PX = 3;
const COLOURS = { open: "#d9d4c7", rock: "#2b2d31", goal: "#e8b923", own: "#c8302d" };

/** A place on the map, in pixels. @param {PlanOfMap} plan @param {number} x @param {number} y @returns {[number, number]} */
export function toPixels(plan, x, y) {
  return [((x - plan.left) / plan.tile) * TILE_PX, ((plan.top - y) / plan.tile) * TILE_PX];
}

/** The corners of the arrow of a figure. @param {[number, number]} at @param {number} tenths @returns {[number, number][]} */
export function arrowAt([x, y], tenths) {
  const yaw = (tenths / 10) * (Math.PI / 180);
  /** @param {number} turn @param {number} length @returns {[number, number]} */
  const corner = (turn, length) => [
    x + length * Math.cos(yaw + turn),
    y - length * Math.sin(yaw + turn),
  ];
  return [corner(0, 7), corner(2.5, 5), corner(-2.5, 5)];
}

/** @param {HTMLFormElement} form @param {PlanOfMap | undefined} plan */
export function createMiniMap(form, plan) {
  const canvas = /** @type {HTMLCanvasElement | null} */ (form.querySelector("[data-map]"));
  if (canvas) canvas.hidden = !plan;
  if (!canvas || !plan) return { show: () => {} };
  const rows = plan.walls.length;
  Object.assign(canvas, { width: plan.walls[0].length * TILE_PX, height: rows * TILE_PX });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const walls = document.createElement("canvas");
  Object.assign(walls, { width: canvas.width, height: canvas.height });
  const ground = /** @type {CanvasRenderingContext2D} */ (walls.getContext("2d"));
  ground.fillStyle = COLOURS.rock;
  ground.fillRect(0, 0, walls.width, walls.height);
  ground.fillStyle = COLOURS.open;
  plan.walls.forEach((row, y) =>
    [...row].forEach((tile, x) => {
      if (tile === ".") ground.fillRect(x * TILE_PX, y * TILE_PX, TILE_PX, TILE_PX);
    }),
  );

  /** @param {string} colour @param {() => void} shape */
  const fill = (colour, shape) => {
    context.fillStyle = colour;
    context.beginPath();
    shape();
    context.fill();
  };

  return {
    /** @param {any} picture */
    show(picture) {
      const [x, y, , tenths] = picture.p;
      context.drawImage(walls, 0, 0);
      const goal = plan.goal && toPixels(plan, ...plan.goal);
      if (goal) fill(COLOURS.goal, () => context.arc(...goal, 4, 0, 2 * Math.PI));
      fill(COLOURS.own, () => {
        for (const corner of arrowAt(toPixels(plan, x, y), tenths)) context.lineTo(...corner);
      });
    },
  };
}
