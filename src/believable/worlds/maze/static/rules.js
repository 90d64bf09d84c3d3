// @ts-check
/**
 * The part of the maze's rules that concerns the player alone: walking, and the flight of bullets and bombs. The same as
 * `believable.worlds.maze.rules` to the last unit; a test holds the two equal. Lengths are thousandths of a tile.
 *
 * @typedef {{dx: number, dy: number, aim: number, shoot: number, bomb: number}} Keys
 * @typedef {{id: number, bomb: boolean, x: number, y: number, vx: number, vy: number, left: number}} Missile
 * @typedef {{x: number, y: number, heading: number, missiles: Missile[], bulletReady: number, bombReady: number, made: number}} Own
 * @typedef {{player_speed: number, body_radius: number, health: number, bullet_speed: number, bullet_pause: number,
 *   bullet_life: number, bomb_speed: number, bomb_pause: number, bomb_fuse: number, player_view_deg: number,
 *   player_view_tiles: number}} Rules
 * @typedef {{width: number, blocked: Uint8Array}} Grid
 */

export const TILE = 1000;
export const TICK_MS = 1000 / 30;

/** @param {(radians: number) => number} f @returns {number[]} */
const table = (f) =>
  Array.from({ length: 360 }, (_, degree) => Math.round(1000 * f((degree * Math.PI) / 180)) + 0);
const COS = table(Math.cos);
const SIN = table(Math.sin);

/** @param {string[]} walls @returns {Grid} */
export function gridOf(walls) {
  return {
    width: walls[0].length,
    blocked: Uint8Array.from(walls.join(""), (tile) => Number(tile === "#")),
  };
}

/** One tick. @param {Own} own @param {number} tick @param {Keys} keys @param {Grid} grid @param {Rules} rules @returns {Own} */
export function step(own, tick, keys, grid, rules) {
  const after = {
    ...own,
    heading: keys.aim,
    missiles: own.missiles.map((missile) => ({ ...missile })),
  };
  if (keys.dx || keys.dy) {
    const speed =
      keys.dx && keys.dy ? Math.floor((rules.player_speed * 707) / 1000) : rules.player_speed;
    [after.x, after.y] = slide(
      grid,
      own.x,
      own.y,
      keys.dx * speed,
      keys.dy * speed,
      rules.body_radius,
    );
  }
  if (keys.shoot && tick >= after.bulletReady) {
    after.bulletReady = tick + rules.bullet_pause;
    launch(after, false, rules.bullet_speed, rules.bullet_life);
  }
  if (keys.bomb && tick >= after.bombReady) {
    after.bombReady = tick + rules.bomb_pause;
    launch(after, true, rules.bomb_speed, rules.bomb_fuse);
  }
  after.missiles = after.missiles.filter((missile) => fly(missile, grid));
  return after;
}

/** @param {Own} own @param {boolean} bomb @param {number} speed @param {number} life */
function launch(own, bomb, speed, life) {
  own.made += 1;
  const vx = scaled(COS[own.heading], speed);
  const vy = scaled(SIN[own.heading], speed);
  own.missiles.push({ id: own.made, bomb, x: own.x, y: own.y, vx, vy, left: life });
}

/** @param {Missile} missile @param {Grid} grid @returns {boolean} whether it is still in the air */
function fly(missile, grid) {
  const x = missile.x + missile.vx;
  const y = missile.y + missile.vy;
  missile.left -= 1;
  if (grid.blocked[Math.floor(y / TILE) * grid.width + Math.floor(x / TILE)]) return false;
  missile.x = x;
  missile.y = y;
  return missile.left > 0;
}

/** @param {Grid} grid @param {number} x @param {number} y @param {number} dx @param {number} dy @param {number} radius @returns {[number, number]} */
export function slide(grid, x, y, dx, dy, radius) {
  if (dx) x = along(grid, x + dx, y, dx, radius, true);
  if (dy) y = along(grid, x, y + dy, dy, radius, false);
  return [x, y];
}

/** @param {Grid} grid @param {number} x @param {number} y @param {number} step @param {number} radius @param {boolean} horizontal */
function along(grid, x, y, step, radius, horizontal) {
  const [main, cross] = horizontal ? [x, y] : [y, x];
  const tileAhead = Math.floor((main + (step > 0 ? radius : -radius)) / TILE);
  for (const side of [cross - radius, cross + radius - 1]) {
    const beside = Math.floor(side / TILE);
    const [column, row] = horizontal ? [tileAhead, beside] : [beside, tileAhead];
    if (grid.blocked[row * grid.width + column]) {
      return step > 0 ? tileAhead * TILE - radius - 1 : (tileAhead + 1) * TILE + radius;
    }
  }
  return main;
}

/** Thousandths of a speed, rounded towards zero. @param {number} unit @param {number} speed */
function scaled(unit, speed) {
  return Math.trunc((unit * speed) / 1000) + 0;
}
