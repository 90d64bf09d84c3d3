// @ts-check
/** Leads the keyboard on, without taking it from someone who uses it already. */

const CONTROLS = "a, button, input, textarea, select, summary, [tabindex='0']";
const FIELDS = "input, textarea, select";

/**
 * Something can be used now: it gets the focus, unless the person has gone to something else in the meantime.
 * @param {Element | null} [element]
 */
export function offerFocus(element) {
  if (!document.activeElement?.matches(CONTROLS)) focus(element);
}

/** Something is over and this comes next: it gets the focus, unless the person is filling in a field. @param {Element | null} [element] */
export function moveFocus(element) {
  if (!document.activeElement?.matches(FIELDS)) focus(element);
}

/**
 * Questions have opened further down: the page leads there, in sight and by keyboard, and says so. Who is filling in a field is only
 * told. @param {HTMLElement | null} section @param {string} words
 */
export function leadTo(section, words) {
  if (!section || !bringIntoSight(section, words)) return;
  const target = /** @type {HTMLElement} */ (
    section.querySelector("h2, h3, legend, label, button") ?? section
  );
  if (!target.matches(CONTROLS)) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

/**
 * The same without the keyboard: it stays where it is, as beside a clip that may be watched again.
 * @param {HTMLElement} section @param {string} words @returns {boolean} false for somebody who is filling in a field
 */
export function bringIntoSight(section, words) {
  announce(words);
  if (document.activeElement?.matches(FIELDS) && !document.activeElement.matches(".seek"))
    return false;
  keepInSight(section);
  return true;
}

/** Scrolls at once, as far as it takes to see all of it: a button that glides is missed by a click. @param {HTMLElement} section */
export function keepInSight(section) {
  const box = section.getBoundingClientRect();
  const inSight = box.top >= 0 && box.bottom <= innerHeight;
  if (!inSight) section.scrollIntoView({ block: box.height > innerHeight ? "start" : "nearest" });
}

/** Says something to people who do not see the page. @param {string} words */
export function announce(words) {
  const line = document.getElementById("announcement");
  if (line) line.textContent = words;
}

/** With the whole of it in sight: browsers are content with a part. @param {Element | null} [element] */
function focus(element) {
  /** @type {HTMLElement | null | undefined} */ (element)?.focus();
  element?.scrollIntoView({ block: "nearest" });
}
