// @ts-check
/**
 * What is being typed and is not an event yet. A page that is reloaded in the middle of a word cannot wait for a
 * database, so it is kept in the tab's own storage, which writes at once.
 *
 * @typedef {ReturnType<typeof createTyping>} Typing
 */

/**
 * @param {Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">} storage
 * @param {string} session
 * @param {number} position of the trial
 */
export function createTyping(storage, session, position) {
  const key = `believable typing ${session} ${position}`;

  /** @returns {Record<string, any>} */
  function all() {
    try {
      return JSON.parse(storage.getItem(key) ?? "{}");
    } catch {
      return {};
    }
  }

  /** @param {Record<string, any>} drafts */
  function keep(drafts) {
    try {
      if (Object.keys(drafts).length) storage.setItem(key, JSON.stringify(drafts));
      else storage.removeItem(key);
    } catch {
      // Full or forbidden: the event that follows within a second is what counts.
    }
  }

  return {
    all,
    /** @param {string} question @param {any} value */
    save: (question, value) => keep({ ...all(), [question]: value }),
    /** It is an event now. @param {string} question */
    forget: (question) => {
      const drafts = all();
      if (!(question in drafts)) return;
      delete drafts[question];
      keep(drafts);
    },
  };
}
