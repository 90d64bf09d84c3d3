// @ts-check
/** Writes the running evidence of a sequential study into the monitor. */

/** @typedef {{name: string, n: number, words: string, interval: string, second: string, different: number, equivalent: number}} AgentEvidence */

/** @param {Element | null | undefined} place @param {string} words */
function say(place, words) {
  if (place && place.textContent !== words) place.textContent = words;
}

/**
 * @param {ParentNode} root
 * @param {{words: string, stopped: boolean, judges: number, agents: AgentEvidence[]} | null | undefined} evidence
 */
export function showEvidence(root, evidence) {
  const panel = root.querySelector("#evidence");
  if (!panel || !evidence) return;
  const pill = panel.querySelector("#evidence-words");
  say(pill, evidence.words);
  pill?.classList.toggle("complete", evidence.stopped);
  pill?.classList.toggle("active", !evidence.stopped);
  say(panel.querySelector("#evidence-judges"), String(evidence.judges));
  const rows = panel.querySelectorAll("tbody tr");
  evidence.agents.forEach((agent, place) => {
    const row = rows[place];
    if (!row) return;
    for (const part of /** @type {const} */ (["name", "n", "interval", "words", "second"]))
      say(row.querySelector(`[data-part=${part}]`), String(agent[part]));
    for (const part of /** @type {const} */ (["different", "equivalent"]))
      row
        .querySelector(`[data-part=${part}] .done`)
        ?.setAttribute("width", (100 * agent[part]).toFixed(2));
  });
}
