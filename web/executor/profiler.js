import { USAGE } from "./gpu.js";

/** @typedef {import("./buffers.js").Buffers} Buffers */
/** @typedef {import("./loader.js").Bound} Bound */

const MOST = 2048; // passes that a query set serves: WebGPU allows 4096 queries, two a pass
const STAMP_BYTES = 16; // of a pass: begin and end, u64 ns

/**
 * Records each dispatch of a step as a pass between two timestamps. Query sets are kept for the next
 * profiled step. Browsers quantise timestamps (Chrome to 65,536 ns), so a short pass may read as 0.
 */
export class Profiler {
  #device;
  #buffers;
  /** @type {GPUQuerySet[]} */
  #sets = [];
  /** @type {GPUBuffer | null} */
  #resolved = null;
  #capacity = 0;

  /**
   * @param {GPUDevice} device
   * @param {Buffers} buffers
   */
  constructor(device, buffers) {
    this.#device = device;
    this.#buffers = buffers;
  }

  /**
   * Records the dispatches, and the copy of their timestamps to the beginning of `target`.
   * @param {GPUCommandEncoder} encoder
   * @param {Bound} bound
   * @param {GPUBuffer} target
   */
  encode(encoder, { pipelines, groups, workgroups }, target) {
    const count = pipelines.length;
    if (count === 0) return;
    const resolved = this.#reserve(count);
    for (let i = 0; i < count; i++) {
      const at = 2 * (i % MOST);
      const querySet = this.#sets[Math.floor(i / MOST)];
      const pass = encoder.beginComputePass({
        timestampWrites: { querySet, beginningOfPassWriteIndex: at, endOfPassWriteIndex: at + 1 },
      });
      const [x, y, z] = workgroups[i];
      pass.setPipeline(pipelines[i]);
      pass.setBindGroup(0, groups[i]);
      pass.dispatchWorkgroups(x, y, z);
      pass.end();
    }
    for (let start = 0; start < count; start += MOST) {
      const passes = Math.min(MOST, count - start);
      encoder.resolveQuerySet(this.#sets[start / MOST], 0, 2 * passes, resolved, STAMP_BYTES * start);
    }
    encoder.copyBufferToBuffer(resolved, 0, target, 0, STAMP_BYTES * count);
  }

  /** @param {number} count of passes */
  #reserve(count) {
    if (this.#resolved && count <= this.#capacity) return this.#resolved;
    if (this.#resolved) this.#buffers.destroy(this.#resolved);
    for (const set of this.#sets) set.destroy();
    this.#sets = [];
    for (let start = 0; start < count; start += MOST) {
      const queries = 2 * Math.min(MOST, count - start);
      this.#sets.push(this.#device.createQuerySet({ type: "timestamp", count: queries }));
    }
    const usage = USAGE.QUERY_RESOLVE | USAGE.COPY_SRC;
    this.#resolved = this.#buffers.create(STAMP_BYTES * count, usage, "timestamps of passes");
    this.#capacity = count;
    return this.#resolved;
  }
}
