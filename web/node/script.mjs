import { readFile } from "node:fs/promises";

/**
 * A script's text; a byte-order mark is no part of it.
 * @param {string} file
 * @returns {Promise<{source: string} | {problem: string}>}
 */
export async function readScript(file) {
  let bytes;
  try {
    bytes = await readFile(file);
  } catch (error) {
    return { problem: `cannot read ${file}: ${reason(error)}` };
  }
  if (bytes.includes(0)) return { problem: `expected a script in Python, got ${file} with a zero byte; save it as UTF-8 text` };
  try {
    return { source: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { problem: `expected a script in UTF-8, got ${file} in another encoding; save it as UTF-8` };
  }
}

/** @param {unknown} error */
function reason(error) {
  const code = String(/** @type {NodeJS.ErrnoException} */ (error).code);
  if (code === "ENOENT") return "there is none";
  return code === "EISDIR" ? "it is a folder" : code;
}
