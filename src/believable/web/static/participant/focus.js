// @ts-check
/** Leads the keyboard on, without taking it from someone who uses it already. */

const CONTROLS = "a, button, input, textarea, select, summary, [tabindex='0']";
const FIELDS = "input, textarea, select";

/**
 * Something can be used now: it gets the focus, unless the person has gone to something else in the meantime.
 * @param {Element | null} [found]
 */
export function offerFocus(found) {
  if (!document.activeElement?.matches(CONTROLS)) focus(found);
}

/** Something is over and this comes next: it gets the focus, unless the person is filling in a field. @param {Element | null} [found] */
export function moveFocus(found) {
  if (!document.activeElement?.matches(FIELDS)) focus(found);
}

/** @param {Element | null} [found] */
const focus = (found) => /** @type {HTMLElement | null | undefined} */ (found)?.focus();
