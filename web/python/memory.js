/** Pyodide 314.0.4 treats addresses above this as negative: Python then writes zeros to streams. */
const MOST_BYTES = 2 ** 31;
const PAGE_BYTES = 65536;

/**
 * Limits Python's memory to what Pyodide can address; beyond it, Python raises a MemoryError. Delete this when a script
 * that uses 3 GB prints correctly (Pyodide claims to support 4 GB).
 */
export function limitMemory() {
  const { prototype } = WebAssembly.Memory;
  const { grow } = prototype;
  if (grow.name === limited.name) return;
  prototype.grow = limited;

  /** @this {WebAssembly.Memory} @param {number} pages @returns {number} */
  function limited(pages) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > MOST_BYTES) throw new RangeError("2 GB is the most");
    return grow.call(this, pages);
  }
}
