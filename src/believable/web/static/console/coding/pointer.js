// @ts-check
/** Where in a text the pointer is. */

/**
 * @param {HTMLElement} root @param {{clientX: number, clientY: number}} point
 * @returns {number | null} characters of the root's text before the pointer; null outside of it
 */
export function offsetAt(root, { clientX, clientY }) {
  const page = /** @type {any} */ (document);
  const position = page.caretPositionFromPoint?.(clientX, clientY);
  const caret = position
    ? { node: position.offsetNode, offset: position.offset }
    : rangeAt(page, clientX, clientY);
  if (!caret || !root.contains(caret.node)) return null;
  const before = document.createRange();
  before.setStart(root, 0);
  before.setEnd(caret.node, caret.offset);
  return before.toString().length;
}

/** Browsers without positions have ranges. @param {any} page @param {number} x @param {number} y */
function rangeAt(page, x, y) {
  const range = page.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
}
