// The bundle's Python packages: their files, and their shared libraries at fixed places, which the snapshot refers to.

import { readContainer } from "./container.js";

/** @typedef {{path: string, code: WebAssembly.Module}} Library a shared library, by its path in Python */

const SITE_PACKAGES = "/lib/python3.14/site-packages/";

/** Types and permissions of nodes, as of `mknod`. */
const FILE = 0o100666;
const FOLDER = 0o040777;

/** Below are Pyodide's own functions, whose number depends on the browser (14,170 of Pyodide 314.0.4). */
const FIRST_SLOT = 1 << 14;

/**
 * Compiles libraries beside Python's own wasm; a browser keeps what it has compiled.
 * @param {{path: string, file: string}[]} libraries of the manifest
 * @param {(path: string) => Promise<Response>} open
 * @returns {Promise<Library[]>}
 */
export function compileLibraries(libraries, open) {
  const compile = async (/** @type {{path: string, file: string}} */ { path, file }) => ({
    path: SITE_PACKAGES + path,
    code: await WebAssembly.compileStreaming(open(file)),
  });
  return Promise.all(libraries.map(compile));
}

/**
 * Loads libraries before Python starts, in a memory and a table that are the same at every start.
 * @param {any} module Pyodide's
 * @param {Library[]} libraries
 */
export function loadLibraries(module, libraries) {
  module.wasmTable.grow(FIRST_SLOT - module.wasmTable.length);
  for (const { path, code } of libraries) {
    const library = module.newDSO(path, undefined, "loading");
    library.global = false;
    library.exports = module.loadWebAssemblyModule(code, { global: false, nodelete: true }, path, {});
  }
}

/**
 * @param {Response} response the container of all files
 * @returns {Promise<[string, Uint8Array<ArrayBuffer>][]>} by path in `site-packages`
 */
export async function readPackages(response) {
  const { header, take } = await readContainer(response);
  return header.files.map((/** @type {[string, number]} */ [path, size]) => [path, take(size)]);
}

/**
 * Makes the nodes itself: `FS.writeFile` looks each path up several times, which takes the start of Python 80 ms.
 * @param {any} FS Pyodide's, with nothing of the packages
 * @param {[string, Uint8Array][]} files
 */
export function writePackages(FS, files) {
  /** @type {Map<string, any>} */
  const folders = new Map([["", FS.lookupPath(SITE_PACKAGES).node]]);
  /** @type {(path: string, mode: number) => any} */
  const make = (path, mode) => {
    const at = path.lastIndexOf("/");
    const parent = folder(path.slice(0, Math.max(at, 0)));
    return parent.node_ops.mknod(parent, path.slice(at + 1), mode, 0);
  };
  /** @type {(path: string) => any} */
  const folder = (path) => {
    const node = folders.get(path) ?? make(path, FOLDER);
    folders.set(path, node);
    return node;
  };
  for (const [path, bytes] of files) {
    const node = make(path, FILE);
    node.contents = bytes;
    node.usedBytes = bytes.length;
  }
}
