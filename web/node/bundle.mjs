import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const DEFAULT = fileURLToPath(new URL("../../build/pyodide/", import.meta.url));

/**
 * @param {string | null} folder
 * @returns {Promise<{root: string, manifest: import("../python/python.js").Manifest} | {problem: string}>}
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
  return { root, manifest: JSON.parse(text) };
}
