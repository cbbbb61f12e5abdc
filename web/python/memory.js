/** Pyodide 314.0.4 takes addresses above this for negative numbers: what Python writes to a stream is then zeros. */
const MOST_BYTES = 2 ** 31;
const PAGE_BYTES = 65536;

/**
 * Keeps Python's memory below what Pyodide can address; beyond it, Python raises a MemoryError. It may be deleted once
 * a script that holds 3 GB prints what it should (Pyodide says that it supports 4 GB).
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
