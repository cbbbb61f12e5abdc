import { mkdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { writeAtomically } from "./atomic_file.mjs";

/**
 * A file in the user's cache folder, the same that tabgrad uses outside of Node; `TABGRAD_CACHE` names another folder.
 * @returns {import("../python/winners.js").WinnersStore}
 */
export function fileWinners() {
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache");
  const file = path.join(process.env.TABGRAD_CACHE || path.join(cache, "tabgrad"), "tuning.json");
  return {
    async read() {
      try {
        return await readFile(file, "utf8");
      } catch (error) {
        if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ENOENT") report(file, error);
        return null;
      }
    },
    async write(text) {
      try {
        await mkdir(path.dirname(file), { recursive: true });
        writeAtomically(file, text, "tuning");
      } catch (error) {
        report(file, error);
      }
    },
  };
}

/**
 * @param {string} file
 * @param {unknown} error
 */
function report(file, error) {
  console.error(`winners of kernel tuning cannot be kept in ${file}: ${error}`);
}
