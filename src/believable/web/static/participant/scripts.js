// @ts-check
/** Scripts that a page asks for when it needs them: a line that breaks for a moment costs a pause, not the page. */

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 8000];

/**
 * @typedef {object} Surroundings
 * @property {(address: string) => Promise<any>} bring imports a file
 * @property {(ms: number) => Promise<void>} sleep
 * @property {(trying: boolean) => void} onTrouble
 */

/** In the words of all browsers; what came and does not run says something else. @param {unknown} error */
const isMissing = (error) => error instanceof TypeError && /\bmodule\b/i.test(error.message);

let troubled = 0;
/** @type {Surroundings} */
const browser = {
  bring: (address) => import(address),
  sleep: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms);
      addEventListener("online", () => resolve(), { once: true });
    }),
  onTrouble: (trying) => {
    troubled += trying ? 1 : -1;
    document
      .getElementById("trial")
      ?.dispatchEvent(new CustomEvent("trouble", { detail: troubled > 0 }));
  },
};

/**
 * A script with all that it imports, whatever it takes. Browsers ask again for what did not arrive.
 * @param {string | (() => Promise<any>)} wanted its address, or what imports it: then esbuild puts it into the bundle of the caller.
 *   After a `#`, an address names a module of a bundle.
 * @param {Surroundings} surroundings
 */
export async function load(wanted, { bring, sleep, onTrouble } = browser) {
  const [file, name] = typeof wanted === "string" ? wanted.split("#") : [];
  for (let failures = 0; ; failures += 1) {
    try {
      const script = await (typeof wanted === "string" ? bring(file ?? wanted) : wanted());
      if (failures) onTrouble(false);
      return name ? script[name] : script;
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (!failures) onTrouble(true);
      await sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures));
    }
  }
}
