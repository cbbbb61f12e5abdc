import { USAGE } from "./gpu.js";

/** @typedef {import("./buffers.js").Buffers} Buffers */
/** @typedef {import("./counters.js").Counters} Counters */

const SLOTS = 3; // timed passes in flight; a fourth goes untimed rather than wait
const STRIDE = 256; // alignment of resolveQuerySet

/**
 * GPU time of a compute pass, from timestamps resolved and read behind the caller's back.
 * Browsers quantise timestamps (Chrome to 65,536 ns), so a short pass may read as 0.
 */
export class Timer {
  /** @type {number | null} */
  newestMs = null;
  #counters;
  /** @type {GPUQuerySet} */
  #queries;
  /** @type {GPUBuffer} */
  #resolved;
  /** @type {GPUBuffer[]} */
  #staging;
  /** @type {number[]} */
  #free;
  /** @type {number | null} */
  #current = null;

  /**
   * @param {GPUDevice} device
   * @param {Buffers} buffers
   * @param {Counters} counters
   */
  constructor(device, buffers, counters) {
    this.#counters = counters;
    this.#queries = device.createQuerySet({ type: "timestamp", count: 2 * SLOTS });
    const resolve = USAGE.QUERY_RESOLVE | USAGE.COPY_SRC;
    this.#resolved = buffers.create(SLOTS * STRIDE, resolve, "timestamps");
    const staging = USAGE.MAP_READ | USAGE.COPY_DST;
    this.#staging = Array.from({ length: SLOTS }, () => buffers.create(16, staging, "timestamps"));
    this.#free = this.#staging.map((_, slot) => slot);
  }

  /**
   * The descriptor of a pass to be timed, or undefined while all slots are in flight.
   * @returns {GPUComputePassDescriptor | undefined}
   */
  begin() {
    const slot = this.#free.pop();
    if (slot === undefined) return undefined;
    this.#current = slot;
    return {
      timestampWrites: {
        querySet: this.#queries,
        beginningOfPassWriteIndex: 2 * slot,
        endOfPassWriteIndex: 2 * slot + 1,
      },
    };
  }

  /** After the pass, before the submit. @param {GPUCommandEncoder} encoder */
  resolve(encoder) {
    const slot = this.#current;
    if (slot === null) return;
    encoder.resolveQuerySet(this.#queries, 2 * slot, 2, this.#resolved, slot * STRIDE);
    encoder.copyBufferToBuffer(this.#resolved, slot * STRIDE, this.#staging[slot], 0, 16);
  }

  /** After the submit: the result appears in `newestMs` when the GPU is done. */
  collect() {
    const slot = this.#current;
    if (slot === null) return;
    this.#current = null;
    const staging = this.#staging[slot];
    this.#counters.maps += 1;
    staging.mapAsync(USAGE.MAP_READ).then(
      () => {
        const [begin, end] = new BigUint64Array(staging.getMappedRange());
        this.newestMs = Number(end - begin) / 1e6;
        staging.unmap();
        this.#free.push(slot);
      },
      () => {}, // only a lost device rejects; `device.lost` tells of it
    );
  }
}
