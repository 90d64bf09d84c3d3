// @ts-check
/** A session that was withdrawn, perhaps on another device: what this browser still holds of it goes, too. */
import { createQueue } from "./queue.js";
import { openStorage } from "./storage.js";

try {
  await createQueue(await openStorage(indexedDB), location.pathname).clear();
} catch {
  // A browser that lets nothing be stored holds nothing.
}
