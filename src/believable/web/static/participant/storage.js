// @ts-check
/**
 * Where unsent events wait: IndexedDB, or memory where the browser refuses it. Both give short transactions over three
 * stores: `events` (key `[session, seq]`), `heads` (key `session`) and `strays` (key `[session, n]`).
 *
 * @typedef {"events" | "heads" | "strays"} StoreName
 * @typedef {(string | number)[]} Key
 * @typedef {object} Transaction
 * @property {(store: StoreName, key: Key) => Promise<any>} get
 * @property {(store: StoreName, key: Key, value: any) => void} put
 * @property {(store: StoreName, key: Key) => void} remove
 * @property {(store: StoreName, session: string, limit?: number) => Promise<any[]>} all values of a session by number
 * @typedef {object} Storage
 * @property {boolean} durable whether it survives a reload
 * @property {<T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>} run resolves after the commit
 */

const STORES = /** @type {StoreName[]} */ (["events", "heads", "strays"]);
/** Sorts after every number in IndexedDB's order of keys. */
const LAST = /** @type {any} */ ([]);

/** @param {IDBRequest} request @returns {Promise<any>} */
const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @param {IDBFactory} factory @returns {Promise<Storage>} */
export async function openStorage(factory) {
  const opening = factory.open("believable", 1);
  opening.onupgradeneeded = () => STORES.forEach((name) => opening.result.createObjectStore(name));
  const database = await settled(opening);
  return { durable: true, run: (work) => inTransaction(database, work) };
}

/** @template T @param {IDBDatabase} database @param {(t: Transaction) => Promise<T>} work @returns {Promise<T>} */
function inTransaction(database, work) {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORES, "readwrite", { durability: "strict" });
    /** @type {T} */
    let result;
    transaction.oncomplete = () => resolve(result);
    transaction.onerror = transaction.onabort = () =>
      reject(transaction.error ?? new Error("aborted"));
    work({
      get: (store, key) => settled(transaction.objectStore(store).get(key)),
      put: (store, key, value) => void transaction.objectStore(store).put(value, key),
      remove: (store, key) => void transaction.objectStore(store).delete(key),
      all: (store, session, limit) =>
        settled(
          transaction
            .objectStore(store)
            .getAll(IDBKeyRange.bound([session], [session, LAST]), limit),
        ),
    }).then(
      (value) => {
        result = value;
      },
      (error) => {
        reject(error);
        transaction.abort();
      },
    );
  });
}

/** @returns {Storage} */
export function memoryStorage() {
  /** @type {Map<string, {key: Key, value: any}>} */
  const held = new Map();
  let turn = Promise.resolve();
  const name = (/** @type {StoreName} */ store, /** @type {Key} */ key) =>
    JSON.stringify([store, ...key]);
  /** @type {Transaction} */
  const transaction = {
    get: async (store, key) => held.get(name(store, key))?.value,
    put: (store, key, value) => void held.set(name(store, key), { key: [store, ...key], value }),
    remove: (store, key) => void held.delete(name(store, key)),
    all: async (store, session, limit = Infinity) =>
      [...held.values()]
        .filter(({ key }) => key[0] === store && key[1] === session)
        .sort((a, b) => Number(a.key[2]) - Number(b.key[2]))
        .slice(0, limit)
        .map(({ value }) => value),
  };
  return {
    durable: false,
    run: (work) => {
      const done = turn.then(() => work(transaction));
      turn = done.then(
        () => undefined,
        () => undefined,
      );
      return done;
    },
  };
}
