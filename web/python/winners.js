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

/**
 * The browser's own database. Where there is none (a private window), winners last as long as the page.
 * @returns {WinnersStore}
 */
export function indexedDbWinners() {
  const opening = openDB(DATABASE, 1, { upgrade: (database) => void database.createObjectStore(STORE) });
  return {
    read: () => opening.then((database) => database.get(STORE, KEY)).then((text) => text ?? null, missing),
    write: (text) => opening.then((database) => database.put(STORE, text, KEY)).then(() => {}, (error) => void missing(error)),
  };
}

/** @param {unknown} error */
function missing(error) {
  console.warn("winners of kernel tuning cannot be kept:", error);
  return null;
}
