import { USAGE } from "./gpu.js";

/** @typedef {import("./buffers.js").Buffers} Buffers */
/** @typedef {import("./counters.js").Counters} Counters */
/** @typedef {import("./loader.js").Bound} Bound */
/** @typedef {import("./timer.js").Timer} Timer */

/** Bytes that runs which wait for one submit may bring along; `writeBuffer` of larger data costs no more than a copy. */
const FEED_BYTES = 65_536;
/** A run that brings more is submitted at once. */
const MOST_OF_A_RUN = 16_384;
/** Dispatches after which recorded work is submitted, so that the GPU does not wait for the host. */
const MOST_DISPATCHES = 2048;

/**
 * Records runs and submits them, several together where the caller allows it. What a run that waits brings along
 * (scalars, small inputs) cannot be written to its buffers at once, since earlier runs still need the old bytes:
 * it is collected here, written with the submit, and copied between the runs.
 */
export class Submissions {
  #device;
  #buffers;
  #counters;
  /** @type {GPUCommandEncoder | null} */
  #encoder = null;
  #dispatches = 0;
  /** @type {GPUBuffer | null} */
  #feed = null;
  #collected = new Uint8Array(FEED_BYTES);
  #filled = 0;

  /**
   * @param {GPUDevice} device
   * @param {Buffers} buffers
   * @param {Counters} counters
   */
  constructor(device, buffers, counters) {
    this.#device = device;
    this.#buffers = buffers;
    this.#counters = counters;
  }

  /**
   * Makes room for a run that may wait for later ones; false if it brings too much and must be submitted by itself.
   * @param {number} size in bytes, of all that the run brings along
   */
  collects(size) {
    if (size > MOST_OF_A_RUN) return false;
    if (this.#filled + size > FEED_BYTES) this.flush();
    return true;
  }

  /**
   * Adds bytes for a buffer, which get there before the next run and after the last one.
   * @param {GPUBuffer} target
   * @param {number} offset
   * @param {Uint8Array} bytes a multiple of 4 of them
   */
  collect(target, offset, bytes) {
    this.#feed ??= this.#buffers.create(FEED_BYTES, USAGE.COPY_SRC | USAGE.COPY_DST, "data of waiting runs");
    this.#collected.set(bytes, this.#filled);
    this.#recording().copyBufferToBuffer(this.#feed, this.#filled, target, offset, bytes.length);
    this.#filled += bytes.length;
  }

  /**
   * Records one pass with every dispatch.
   * @param {Bound} bound
   * @param {Timer | null} timer
   */
  record({ pipelines, groups, workgroups }, timer) {
    const encoder = this.#recording();
    const pass = encoder.beginComputePass(timer?.begin());
    let pipeline = null;
    let group = null;
    for (let i = 0; i < pipelines.length; i++) {
      if (pipelines[i] !== pipeline) pass.setPipeline((pipeline = pipelines[i]));
      if (groups[i] !== group) pass.setBindGroup(0, (group = groups[i]));
      const [x, y, z] = workgroups[i];
      pass.dispatchWorkgroups(x, y, z);
    }
    pass.end();
    timer?.resolve(encoder);
    this.#counters.dispatches += pipelines.length;
    this.#dispatches += pipelines.length;
  }

  /** Whether so much is recorded that it is to be submitted. */
  get isLarge() {
    return this.#dispatches >= MOST_DISPATCHES;
  }

  /** Submits what is recorded, if anything is. */
  flush() {
    if (!this.#encoder) return;
    if (this.#feed && this.#filled > 0) this.#device.queue.writeBuffer(this.#feed, 0, this.#collected, 0, this.#filled);
    this.#device.queue.submit([this.#encoder.finish()]);
    this.#counters.submits += 1;
    this.#encoder = null;
    this.#dispatches = this.#filled = 0;
  }

  #recording() {
    return (this.#encoder ??= this.#device.createCommandEncoder());
  }
}
