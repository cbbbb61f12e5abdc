// The bundle's memory snapshot of a started Python, written by build_scripts/make_snapshot.mjs.

/**
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} compressed the file's bytes
 * @returns {Promise<Uint8Array<ArrayBuffer>>} for loadPyodide's `_loadSnapshot`
 */
export async function readSnapshot(compressed) {
  const unpacked = await new Response(compressed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const [size, numRuns] = new Uint32Array(unpacked, 0, 2);
  const runs = new Uint32Array(unpacked, 8, numRuns * 2);
  const memory = new Uint8Array(size);
  let from = 8 + runs.byteLength;
  for (let i = 0; i < runs.length; i += 2) {
    memory.set(new Uint8Array(unpacked, from, runs[i + 1]), runs[i]);
    from += runs[i + 1];
  }
  return memory;
}

/**
 * For loadPyodide's `createPyodideModule`: the module, changed so that this engine's call trampoline survives the
 * snapshot. The snapshot was made in an engine where Python calls C functions through JavaScript, which cannot suspend.
 * Delete this when Pyodide restores `_PyRuntime.emscripten_trampoline` itself (314.0.4 does not).
 * @param {string} indexURL
 * @param {import("./crash.js").CrashWatch} [watch] detects when the module fails
 */
export function createRestorable(indexURL, watch) {
  return async (/** @type {object} */ settings) => {
    const { default: createModule } = await import(/* @vite-ignore */ `${indexURL}pyodide.asm.mjs`);
    watch?.prepare(settings);
    const module = await createModule(settings);
    watch?.attach(module);
    const at = (module.__PyRuntime + module.HEAP32[module.__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET >>> 2]) >>> 2;
    const trampoline = module.HEAP32[at];
    const { restoreSnapshot } = module.API;
    module.API.restoreSnapshot = (/** @type {Uint8Array} */ memory) => {
      const state = restoreSnapshot(memory);
      module.HEAP32[at] = trampoline;
      return state;
    };
    return module;
  };
}
