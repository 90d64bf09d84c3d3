// @ts-check
/** “Continue later” and “Withdraw”, on every page. */

/**
 * @param {object} parts
 * @param {ReturnType<typeof import("./api.js").createApi>} parts.api
 * @param {Record<string, string>} parts.texts
 * @param {() => import("./recorder.js").Recorder | null} parts.recorder
 * @param {() => void} parts.onWithdrawn
 */
export function installDialogs({ api, texts, recorder, onWithdrawn }) {
  const later = dialog("later");
  const withdraw = dialog("withdraw");

  button("open-later").addEventListener("click", async () => {
    later.showModal();
    void recorder()?.record("session.later", {}, { now: true });
    const unsent = /** @type {HTMLElement} */ (later.querySelector(".unsent"));
    const watch = setInterval(() => {
      unsent.hidden = !recorder()?.unsent;
    }, 300);
    later.addEventListener("close", () => clearInterval(watch), { once: true });
    try {
      const { status, data } = await api.get("later");
      if (status !== 200) throw new Error(String(status));
      for (const name of ["link", "code"]) {
        const field = /** @type {HTMLInputElement | null} */ (
          later.querySelector(`[data-fill=${name}]`)
        );
        if (field) field.value = data[name];
      }
    } catch {
      unsent.hidden = false;
    }
  });

  button("open-withdraw").addEventListener("click", () => withdraw.showModal());
  const failed = /** @type {HTMLElement} */ (withdraw.querySelector(".failed"));
  const confirm = button("confirm-withdraw");
  confirm.addEventListener("click", async () => {
    confirm.disabled = true;
    failed.hidden = true;
    try {
      const { status } = await api.post("withdraw", {});
      if (status !== 200 && status !== 410) throw new Error(String(status));
      onWithdrawn();
    } catch {
      failed.hidden = false;
      failed.textContent = texts["withdraw.failed"];
      confirm.disabled = false;
    }
  });
  for (const id of ["open-later", "open-withdraw"]) button(id).disabled = false; // only now do they listen
  for (const close of document.querySelectorAll("dialog [data-close]")) {
    close.addEventListener("click", () => close.closest("dialog")?.close());
  }
}

/** Buttons that copy the field they name. @param {ParentNode} root @param {Record<string, string>} texts */
export function installCopy(root, texts) {
  for (const copy of /** @type {NodeListOf<HTMLButtonElement>} */ (
    root.querySelectorAll("button[data-copy]")
  )) {
    copy.addEventListener("click", async () => {
      const field = /** @type {HTMLInputElement} */ (
        document.getElementById(copy.dataset.copy ?? "")
      );
      field.select();
      try {
        await navigator.clipboard.writeText(field.value);
      } catch {
        // Plain-HTTP pages have no clipboard; the field is selected, and the old command still works there.
        document.execCommand("copy");
      }
      copy.textContent = texts["button.copied"];
    });
  }
}

/** @param {string} id */
const dialog = (id) => /** @type {HTMLDialogElement} */ (document.getElementById(id));
/** @param {string} id */
const button = (id) => /** @type {HTMLButtonElement} */ (document.getElementById(id));
