/**
 * The store of winners of kernel tuning between visits, as one text.
 * @typedef {object} WinnersStore
 * @property {() => Promise<string | null>} read null if nothing is stored
 * @property {(text: string) => Promise<void>} write replaces the stored text
 */

const KEY = "winners";

/**
 * @param {import("./database.js").Database} database
 * @returns {WinnersStore}
 */
export function databaseWinners(database) {
  return { read: () => database.read(KEY), write: (text) => database.write(KEY, text) };
}
