import { Buffers, words } from "./buffers.js";
import { Counters } from "./counters.js";
import { USAGE } from "./gpu.js";
import { scalarsBytes } from "./program.js";
import { Reader } from "./reader.js";

/** @typedef {import("./pipelines.js").Request} Request */

/**
 * A kernel that no program uses yet.
 * @typedef {object} Kernel
 * @property {Request} request
 * @property {GPUComputePipeline} pipeline
 * @property {[number, number, number]} workgroups
 */

/**
 * What a kernel is measured on.
 * @typedef {object} Bench
 * @property {GPUBuffer[]} buffers one for each binding
 * @property {GPUBuffer | null} scalars
 * @property {GPUBindGroup} group
 * @property {Promise<string | null>} problem why the buffers cannot be used
 * @property {Stamps | null} stamps
 */

/**
 * Timestamps of one pass at a time.
 * @typedef {object} Stamps
 * @property {GPUQuerySet} queries
 * @property {GPUBuffer} resolved
 * @property {GPUBuffer} staging
 */

/**
 * Compiles and measures kernels apart from programs. What WebGPU objects to is thrown to the caller that
 * asked, and is never among the faults that a step meets. Has counters of its own.
 */
export class Benches {
  counters = new Counters();
  #device;
  #layouts;
  #pipelines;
  #timed;
  #buffers;
  #reader;
  #open = 0;

  /**
   * @param {GPUDevice} device
   * @param {import("./layouts.js").Layouts} layouts
   * @param {import("./pipelines.js").Pipelines} pipelines
   * @param {() => Uint8Array} getHeap
   */
  constructor(device, layouts, pipelines, getHeap) {
    this.#device = device;
    this.#layouts = layouts;
    this.#pipelines = pipelines;
    this.#timed = device.features.has("timestamp-query");
    this.#buffers = new Buffers(device, this.counters);
    this.#reader = new Reader(device, this.#buffers, this.counters, getHeap);
  }

  /**
   * @param {Request & {workgroups: [number, number, number]}} description
   * @returns {Promise<Kernel>}
   * @throws {Error} it does not compile
   */
  async compile({ workgroups, ...request }) {
    return { request, workgroups, pipeline: await this.#pipelines.apart(request, this.counters) };
  }

  /**
   * @param {Request & {workgroups: [number, number, number]}} description
   * @returns {Kernel}
   */
  compileNow({ workgroups, ...request }) {
    return { request, workgroups, pipeline: this.#pipelines.now(request) };
  }

  /**
   * @param {{signature: string, sizes: number[], numScalars: number | null}} description
   * @returns {Bench}
   */
  open({ signature, sizes, numScalars }) {
    const usage = USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST;
    const end = this.#watch();
    const buffers = sizes.map((size) => this.#buffers.create(words(size), usage, "trial"));
    const scalars =
      numScalars === null
        ? null
        : this.#buffers.create(scalarsBytes(numScalars), USAGE.UNIFORM | USAGE.COPY_DST, "trial");
    const resources = scalars ? [...buffers, scalars] : buffers;
    const group = this.#device.createBindGroup({
      label: "trial",
      layout: this.#layouts.get(signature).group,
      entries: resources.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    this.counters.bindGroupsCreated += 1;
    const stamps = this.#timed ? this.#stamps() : null;
    this.#open += 1;
    const problem = end();
    problem.catch(() => {}); // only a lost device rejects; the run reports it
    return { buffers, scalars, group, problem, stamps };
  }

  /** @param {Bench} bench */
  close(bench) {
    const { stamps } = bench;
    if (stamps) {
      stamps.queries.destroy();
      bench.buffers.push(stamps.resolved, stamps.staging);
    }
    if (bench.scalars) bench.buffers.push(bench.scalars);
    for (const buffer of bench.buffers) this.#buffers.destroy(buffer);
    this.#open -= 1;
    if (this.#open === 0) this.#reader.trim();
  }

  /**
   * @param {GPUBuffer} buffer
   * @param {number} offset
   * @param {Uint8Array} heap
   * @param {number} ptr
   * @param {number} size
   */
  write(buffer, offset, heap, ptr, size) {
    this.#device.queue.writeBuffer(buffer, offset, /** @type {Uint8Array<ArrayBuffer>} */ (heap), ptr, size);
    this.counters.bytesUploaded += size;
  }

  /** @param {import("./reader.js").Range[]} ranges */
  read(ranges) {
    return this.#reader.read(ranges);
  }

  /**
   * Launches a kernel `repeats` times in one submit.
   * @param {Bench} bench
   * @param {Kernel} kernel
   * @param {number} repeats
   * @returns {Promise<number>} ms for all of them: the GPU's own where it keeps time
   * @throws {Error} WebGPU refused
   */
  async run(bench, { pipeline, workgroups }, repeats) {
    const { stamps } = bench;
    if (stamps && stamps.staging.mapState !== "unmapped") this.#renew(stamps);
    if (!stamps) await this.#device.queue.onSubmittedWorkDone();
    const startMs = performance.now();
    const end = this.#watch();
    const encoder = this.#device.createCommandEncoder();
    const pass = encoder.beginComputePass(
      stamps
        ? { timestampWrites: { querySet: stamps.queries, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } }
        : undefined,
    );
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bench.group);
    for (let i = 0; i < repeats; i++) pass.dispatchWorkgroups(...workgroups);
    pass.end();
    if (stamps) {
      encoder.resolveQuerySet(stamps.queries, 0, 2, stamps.resolved, 0);
      encoder.copyBufferToBuffer(stamps.resolved, 0, stamps.staging, 0, 16);
    }
    this.#device.queue.submit([encoder.finish()]);
    this.counters.submits += 1;
    this.counters.dispatches += repeats;
    const done = stamps ? stamps.staging.mapAsync(USAGE.MAP_READ) : this.#device.queue.onSubmittedWorkDone();
    done.catch(() => {}); // the reason follows
    const refused = end();
    const problem = (await bench.problem) ?? (await refused);
    if (problem) throw new Error(problem);
    await done;
    if (!stamps) return performance.now() - startMs;
    this.counters.maps += 1;
    const [begin, finish] = new BigUint64Array(stamps.staging.getMappedRange());
    const elapsedMs = Number(finish - begin) / 1e6;
    stamps.staging.unmap();
    return elapsedMs;
  }

  /** @returns {Stamps} */
  #stamps() {
    return {
      queries: this.#device.createQuerySet({ type: "timestamp", count: 2 }),
      resolved: this.#buffers.create(256, USAGE.QUERY_RESOLVE | USAGE.COPY_SRC, "trial timestamps"),
      staging: this.#staging(),
    };
  }

  #staging() {
    return this.#buffers.create(16, USAGE.MAP_READ | USAGE.COPY_DST, "trial timestamps");
  }

  /** The last run was refused or given up, and what it was to be read from is still taken. @param {Stamps} stamps */
  #renew(stamps) {
    this.#buffers.destroy(stamps.staging);
    stamps.staging = this.#staging();
  }

  /** Catches what WebGPU objects to until the returned function is called, which then says what it was. */
  #watch() {
    const kinds = /** @type {const} */ (["internal", "out-of-memory", "validation"]);
    for (const kind of kinds) this.#device.pushErrorScope(kind);
    return async () => {
      const errors = await Promise.all(kinds.map(() => this.#device.popErrorScope()));
      return errors.find((error) => error !== null)?.message ?? null;
    };
  }
}
