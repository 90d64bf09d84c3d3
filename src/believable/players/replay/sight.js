// @ts-check
/** What can be seen from a place between walls, as a polygon. The same function as `believable.recordings.scene`. */

const STEP_DEG = 1;

/**
 * @param {string[]} walls @param {number} x @param {number} y @param {number} r @param {number} fromDeg @param {number} toDeg
 * @returns {number[][]} its tip, then the end of each ray
 */
export function sight(walls, x, y, r, fromDeg, toDeg) {
  const count = Math.max(1, Math.ceil((toDeg - fromDeg) / STEP_DEG));
  const points = [[x, y]];
  for (let number = 0; number <= count; number += 1) {
    const angle = ((fromDeg + ((toDeg - fromDeg) * number) / count) * Math.PI) / 180;
    const dx = Math.cos(angle);
    const dy = Math.sin(angle);
    const far = reach(walls, x, y, dx, dy, r);
    points.push([x + far * dx, y + far * dy]);
  }
  return points;
}

/** @param {string[]} walls @param {number} x @param {number} y @param {number} dx @param {number} dy @param {number} r */
function reach(walls, x, y, dx, dy, r) {
  let column = Math.floor(x);
  let row = Math.floor(y);
  const perX = dx === 0 ? Infinity : Math.abs(1 / dx);
  const perY = dy === 0 ? Infinity : Math.abs(1 / dy);
  let nextX = dx === 0 ? Infinity : (dx > 0 ? column + 1 - x : x - column) * perX;
  let nextY = dy === 0 ? Infinity : (dy > 0 ? row + 1 - y : y - row) * perY;
  for (;;) {
    let far;
    if (nextX < nextY) {
      far = nextX;
      column += dx > 0 ? 1 : -1;
      nextX += perX;
    } else {
      far = nextY;
      row += dy > 0 ? 1 : -1;
      nextY += perY;
    }
    if (far >= r) return r;
    if ((walls[row]?.[column] ?? "#") === "#") return far;
  }
}
