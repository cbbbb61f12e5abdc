import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const DEFAULT = fileURLToPath(new URL("../../build/pyodide/", import.meta.url));

/** @typedef {Pick<import("../python/python.js").StartOptions, "root" | "manifest" | "open">} Bundle */

/**
 * @param {string | null} folder
 * @returns {Promise<Bundle | {problem: string}>}
 */
export async function readBundle(folder) {
  const root = path.join(path.resolve(folder ?? DEFAULT), "/");
  const file = path.join(root, "manifest.json");
  let text;
  try {
    text = await readFile(file, "utf8");
  } catch {
    return { problem: `no Pyodide bundle: ${file} is missing; make it with: python3 build_scripts/bundle.py` };
  }
  const headers = { "Content-Type": "application/wasm" }; // for those of its files that are compiled
  const open = async (/** @type {string} */ name) => new Response(await readFile(root + name), { headers });
  return { root, manifest: JSON.parse(text), open };
}
