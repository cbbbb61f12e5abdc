import { openDB } from "idb";

/**
 * Where winners of kernel tuning are kept between visits, as one text.
 * @typedef {object} WinnersStore
 * @property {() => Promise<string | null>} read null where nothing is kept
 * @property {(text: string) => Promise<void>} write in place of what was kept
 */

const DATABASE = "tabgrad";
const STORE = "tuning";
const KEY = "winners";

/** A database that has not answered by then will not; the end of a run waits for it. */
const PATIENCE_MS = 2000;

/**
 * The browser's own database. Where it is missing, refuses or does not answer (a private window, a full disk), winners
 * last as long as this Python.
 * @param {(reason: string) => void} onProblem told once, with a clause
 * @returns {WinnersStore}
 */
export function indexedDbWinners(onProblem) {
  let broken = false;
  const opening = openDatabase();
  opening.catch(() => {}); // whoever uses it hears of it

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
    read: async () => (await attempt((database) => database.get(STORE, KEY))) ?? null,
    write: async (text) => void (await attempt((database) => database.put(STORE, text, KEY))),
  };
}

/** Rejects where openDB would throw. */
async function openDatabase() {
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
