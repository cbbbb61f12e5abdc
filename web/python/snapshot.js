// The bundle's memory snapshot of a Python that has imported tabgrad, written by build_scripts/make_snapshot.mjs.

import { readContainer } from "./container.js";
import { loadLibraries } from "./packages.js";

/**
 * @typedef {object} Snapshot
 * @property {number} size of the memory in bytes
 * @property {Uint8Array} head what Pyodide reads before the memory: its version, and the objects of JavaScript
 * @property {number[]} handles of the packages' libraries in this memory, in their order
 * @property {{start: number, bytes: Uint8Array}[]} runs all that is not zero
 */

/** @param {Response} response @returns {Promise<Snapshot>} */
export async function readSnapshot(response) {
  const { header, take } = await readContainer(response);
  const head = take(header.headSize).slice(); // aligned, as Pyodide reads it
  const runs = header.runs.map((/** @type {[number, number]} */ [start, size]) => ({ start, bytes: take(size) }));
  return { size: header.size, head, handles: header.handles, runs };
}

/**
 * For loadPyodide's `createPyodideModule`, with {@link LATER} as `_loadSnapshot`: a module that has loaded `libraries`
 * and restores `snapshot`. Pyodide itself would load no library before, and would wait for the snapshot before it
 * compiles its wasm.
 * @param {(settings: object) => Promise<any>} createModule Pyodide's
 * @param {Promise<import("./packages.js").Library[]>} libraries
 * @param {Promise<Snapshot>} snapshot
 * @param {import("./crash.js").CrashWatch} watch detects when the module fails
 */
export function createRestorable(createModule, libraries, snapshot, watch) {
  return async (/** @type {any} */ settings) => {
    watch.prepare(settings);
    settings.preRun.push((/** @type {any} */ module) => loadFirst(module, libraries));
    const [module, memory] = await Promise.all([createModule(settings), snapshot, libraries]);
    watch.attach(module);
    module.API.restoreSnapshot = restorer(module, memory);
    return module;
  };
}

/** Tells Pyodide that a snapshot is to be restored. */
export const LATER = new Uint8Array(0);

/**
 * Loads libraries before Python starts. A failure of `libraries` is the caller's to handle.
 * @param {any} module
 * @param {Promise<import("./packages.js").Library[]>} libraries
 */
export function loadFirst(module, libraries) {
  module.addRunDependency("libraries");
  libraries.then((compiled) => {
    loadLibraries(module, compiled);
    module.removeRunDependency("libraries");
  }, () => {});
}

/**
 * Pyodide's `restoreSnapshot`, for a snapshot in parts. This engine's call trampoline survives: the snapshot was made in
 * an engine where Python calls C functions through JavaScript, which cannot suspend. Delete that when Pyodide restores
 * `_PyRuntime.emscripten_trampoline` itself (314.0.4 does not).
 * @param {any} module
 * @param {Snapshot} snapshot
 */
function restorer(module, { size, head, handles, runs }) {
  const { restoreSnapshot } = module.API;
  return () => {
    const at = (module.__PyRuntime + module.HEAP32[module.__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET >>> 2]) >>> 2;
    const trampoline = module.HEAP32[at];
    const state = restoreSnapshot(head);
    const used = module.HEAPU8.length;
    if (size > used) module.growMemory(size);
    const heap = module.HEAPU8;
    let end = 0;
    for (const { start, bytes } of runs) {
      heap.fill(0, end, Math.min(start, used));
      heap.set(bytes, start);
      end = start + bytes.length;
    }
    heap.fill(0, end, used);
    module.HEAP32[at] = trampoline;
    const libraries = Object.values(module.LDSO.loadedLibsByName).filter(({ name }) => name !== "__main__");
    handles.forEach((handle, i) => (module.LDSO.loadedLibsByHandle[handle] = libraries[i]));
    return state;
  };
}
