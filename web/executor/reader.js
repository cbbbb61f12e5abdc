import { words } from "./buffers.js";
import { USAGE } from "./gpu.js";

/** @typedef {import("./buffers.js").Buffers} Buffers */
/** @typedef {import("./counters.js").Counters} Counters */

/**
 * One range to read: `target` is a byte offset into Python's heap.
 * @typedef {{source: GPUBuffer, offset: number, size: number, target: number}} Range
 */

const SMALLEST = 256;

// Copies begin and end at multiples of 4, ranges anywhere.

/** Bytes copied before the range begins. @param {Range} range */
const skipped = ({ offset }) => offset % 4;

/** Bytes to copy for a range. @param {Range} range */
const copied = (range) => (range.size === 0 ? 0 : words(skipped(range) + range.size));

/**
 * Reads buffers back as transactions: every range asked for at once is copied to one staging
 * buffer, which is mapped once. Staging buffers are kept for the next transaction.
 */
export class Reader {
  /** Free staging buffers by size, a power of two. @type {Map<number, GPUBuffer[]>} */
  #free = new Map();
  #device;
  #buffers;
  #counters;
  #getHeap;

  /**
   * @param {GPUDevice} device
   * @param {Buffers} buffers
   * @param {Counters} counters
   * @param {() => Uint8Array} getHeap
   */
  constructor(device, buffers, counters, getHeap) {
    this.#device = device;
    this.#buffers = buffers;
    this.#counters = counters;
    this.#getHeap = getHeap;
  }

  /** @param {Range[]} ranges */
  async read(ranges) {
    const total = ranges.reduce((sum, range) => sum + copied(range), 0);
    if (total === 0) return;
    const staging = this.#take(total);
    const encoder = this.#device.createCommandEncoder();
    let at = 0;
    for (const range of ranges) {
      const size = copied(range);
      if (size > 0) encoder.copyBufferToBuffer(range.source, range.offset - skipped(range), staging, at, size);
      at += size;
    }
    this.#device.queue.submit([encoder.finish()]);
    this.#counters.submits += 1;
    this.#counters.maps += 1;
    await staging.mapAsync(USAGE.MAP_READ, 0, total);
    this.#copy(new Uint8Array(staging.getMappedRange(0, total)), ranges);
    staging.unmap();
    this.#free.get(staging.size)?.push(staging);
  }

  /** Destroys the staging buffers that wait. */
  trim() {
    for (const free of this.#free.values()) {
      for (const staging of free) this.#buffers.destroy(staging);
      free.length = 0;
    }
  }

  /**
   * @param {Uint8Array} mapped
   * @param {Range[]} ranges
   */
  #copy(mapped, ranges) {
    const heap = this.#getHeap(); // only now: the heap may have grown while we waited
    let at = 0;
    for (const range of ranges) {
      const from = at + skipped(range);
      heap.set(mapped.subarray(from, from + range.size), range.target);
      at += copied(range);
      this.#counters.bytesRead += range.size;
    }
  }

  /** @param {number} size */
  #take(size) {
    const rounded = Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(size)));
    let free = this.#free.get(rounded);
    if (!free) this.#free.set(rounded, (free = []));
    const usage = USAGE.MAP_READ | USAGE.COPY_DST;
    return free.pop() ?? this.#buffers.create(rounded, usage, "read-back");
  }
}
