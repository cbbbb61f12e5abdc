import { openDB } from "idb";

/**
 * Texts that the browser keeps between visits, by name.
 * @typedef {object} Database
 * @property {(key: string) => Promise<string | null>} read null if nothing is stored
 * @property {(key: string, text: string) => Promise<void>} write replaces the stored text
 */

const DATABASE = "tabgrad";
const STORE = "tuning"; // of the first texts; another name would need a new version, which other tabs can block

/** Time limit for the database's answer, since the end of a run waits for it. */
const PATIENCE_MS = 2000;

/**
 * The browser's database. If it is missing, refuses or does not answer (a private window, a full disk), texts are lost
 * when Python ends.
 * @param {(reason: string) => void} onProblem called once, with a clause
 * @returns {Database}
 */
export function openDatabase(onProblem) {
  let broken = false;
  const opening = open();
  opening.catch(() => {}); // its users handle the error

  /**
   * @template T
   * @param {(database: import("idb").IDBPDatabase) => Promise<T>} use
   * @returns {Promise<T | null>}
   */
  async function attempt(use) {
    if (broken) return null;
    try {
      return await inTime(opening.then(use));
    } catch (error) {
      if (!broken) onProblem(clause(error));
      broken = true;
      return null;
    }
  }

  return {
    read: async (key) => (await attempt((database) => database.get(STORE, key))) ?? null,
    write: async (key, text) => void (await attempt((database) => database.put(STORE, text, key))),
  };
}

/** Rejects where openDB throws. */
async function open() {
  if (!globalThis.indexedDB) throw new Error("this browser has no database here");
  return openDB(DATABASE, 1, { upgrade: (database) => void database.createObjectStore(STORE) });
}

/** @template T @param {Promise<T>} work @returns {Promise<T>} */
function inTime(work) {
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error("the browser's database does not answer")), PATIENCE_MS);
  });
  return Promise.race([work, /** @type {Promise<never>} */ (late)]);
}

/** @param {unknown} error */
function clause(error) {
  const { name = "", message = String(error) } = /** @type {Partial<Error>} */ (error ?? {});
  if (name === "QuotaExceededError") return "the browser's storage is full";
  return name === "Error" ? message : `the browser's database failed (${name || message})`;
}
