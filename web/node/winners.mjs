import { existsSync } from "node:fs";
import { mkdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { writeAtomically } from "./atomic_file.mjs";

const MOST_BYTES = 64 * 2 ** 20;
const ABSENT = ["ENOENT", "ENOTDIR"];

/**
 * A file in the user's cache folder, the same that tabgrad uses outside of Node; `TABGRAD_CACHE` names another folder.
 * Where there is no folder or the file cannot be used, winners last as long as the process, which is told of once.
 * @returns {import("../python/winners.js").WinnersStore}
 */
export function fileWinners() {
  const folder = cacheFolder();
  if (!folder) {
    report("this user has no home folder");
    return { read: async () => null, write: async () => {} };
  }
  const file = path.join(folder, "tuning.json");
  let failed = false;
  /** @param {unknown} error */
  const fail = (error) => {
    if (!failed) report(error instanceof Error ? error.message : String(error));
    failed = true;
  };
  return {
    async read() {
      try {
        const { size } = await stat(file);
        if (size > MOST_BYTES) throw new Error(`${file} is longer than ${MOST_BYTES / 2 ** 20} MiB`);
        return await readFile(file, "utf8");
      } catch (error) {
        if (!ABSENT.includes(String(/** @type {NodeJS.ErrnoException} */ (error).code))) fail(error);
        return null;
      }
    },
    async write(text) {
      if (failed) return;
      try {
        await mkdir(path.dirname(file), { recursive: true });
        writeAtomically(file, text, "tuning");
      } catch (error) {
        fail(error);
      }
    },
  };
}

function cacheFolder() {
  const { TABGRAD_CACHE, XDG_CACHE_HOME } = process.env;
  if (TABGRAD_CACHE) return TABGRAD_CACHE;
  if (XDG_CACHE_HOME) return path.join(XDG_CACHE_HOME, "tabgrad");
  try {
    const home = homedir();
    return existsSync(home) ? path.join(home, ".cache", "tabgrad") : null;
  } catch {
    return null; // the system does not know the user
  }
}

/** @param {string} reason */
function report(reason) {
  console.error(`winners of kernel tuning last as long as this process: ${reason}; name a folder in TABGRAD_CACHE`);
}
