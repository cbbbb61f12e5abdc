import { USAGE } from "./gpu.js";

/** @typedef {import("./counters.js").Counters} Counters */

/** WebGPU copies and binds in words of 4 bytes. @param {number} size */
export const words = (size) => Math.max(4, Math.ceil(size / 4) * 4);

/**
 * Makes and destroys buffers, and keeps count of both.
 */
export class Buffers {
  /** @type {Map<number, GPUBuffer>} */
  #byId = new Map();
  #nextId = 1;
  #device;
  #counters;

  /**
   * @param {GPUDevice} device
   * @param {Counters} counters
   */
  constructor(device, counters) {
    this.#device = device;
    this.#counters = counters;
  }

  /**
   * A buffer that has no id: scratch, uniform, staging, queries.
   * @param {number} size in bytes
   * @param {number} usage
   * @param {string} label
   */
  create(size, usage, label) {
    this.#counters.buffersCreated += 1;
    this.#counters.bytesAllocated += size;
    return this.#device.createBuffer({ size, usage, label });
  }

  /** @param {GPUBuffer} buffer */
  destroy(buffer) {
    this.#counters.bytesAllocated -= buffer.size;
    buffer.destroy();
  }

  /**
   * A storage buffer that Python can name.
   * @param {number} size in bytes
   */
  register(size) {
    const usage = USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST;
    const id = this.#nextId++;
    this.#byId.set(id, this.create(words(size), usage, `buffer ${id}`));
    return id;
  }

  /** @param {number} id */
  unregister(id) {
    this.destroy(this.get(id));
    this.#byId.delete(id);
  }

  /** @param {number} id */
  get(id) {
    const buffer = this.#byId.get(id);
    if (!buffer) throw new Error(`no buffer has the id ${id}; it was destroyed or never made`);
    return buffer;
  }
}
