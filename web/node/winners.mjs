import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";

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
      const scratch = `${file}.${process.pid}`;
      try {
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(scratch, text);
        await rename(scratch, file); // whoever reads meanwhile sees a whole file
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
