// @ts-check
/**
 * What was recorded so far, and the list that shows it as it happens.
 *
 * @typedef {{kind: string, data: any}} Event
 */

/** More lines than anybody reads would slow the page down. */
const SHOWN = 300;

/** Kinds that belong to the page around the example. */
const PAGE = /^(trial\.|answer\.|text\.|overlay\.|media\.|practice\.)/;

/**
 * @param {HTMLElement} list
 * @param {Record<string, string[]>} declared kind → keys of its data
 */
export function createEvents(list, declared) {
  /** @type {Event[]} */
  let events = [];

  /** @param {Event} event */
  function show({ kind, data }) {
    const line = document.createElement("li");
    const name = Object.assign(document.createElement("b"), { textContent: kind });
    line.append(name, ` ${JSON.stringify(data)}`);
    line.dataset.event = JSON.stringify({ kind, data });
    line.classList.toggle("undeclared", !fits(declared, kind, data));
    list.prepend(line);
    while (list.childElementCount > SHOWN) list.lastElementChild?.remove();
  }

  return {
    get all() {
      return events;
    },
    /** @param {string} kind @param {any} data */
    add: (kind, data) => {
      events.push({ kind, data });
      show({ kind, data });
    },
    /** @param {Event[]} other */
    replace: (other) => {
      events = other.slice();
      list.replaceChildren();
      events.slice(-SHOWN).forEach(show);
    },
  };
}

/** Whether an event is as declared, or is the page's own. @param {Record<string, string[]>} declared @param {string} kind @param {any} data */
export function fits(declared, kind, data) {
  if (!(kind in declared)) return PAGE.test(kind);
  const keys = Object.keys(data).filter((key) => key !== "player");
  return keys.length === declared[kind].length && keys.every((key) => declared[kind].includes(key));
}
