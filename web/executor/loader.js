import { words } from "./buffers.js";
import { USAGE } from "./gpu.js";
import { scalarsBytes, signatureOf } from "./program.js";

/** @typedef {import("./program.js").Program} Program */
/** @typedef {import("./program.js").Dispatch} Dispatch */
/** @typedef {import("./buffers.js").Buffers} Buffers */
/** @typedef {import("./layouts.js").Layouts} Layouts */
/** @typedef {import("./pipelines.js").Pipelines} Pipelines */
/** @typedef {import("./counters.js").Counters} Counters */

/**
 * A program with its pipelines and its own scratch buffers.
 * @typedef {object} Executable
 * @property {Program} program
 * @property {import("./pipelines.js").Request[]} requests one for each dispatch, as the program has it
 * @property {Map<number, import("./pipelines.js").Request>} replaced of dispatches that launch another kernel now
 * @property {GPUComputePipeline[]} pipelines as many
 * @property {[number, number, number][]} workgroups as many
 * @property {(GPUBuffer | null)[]} scratch by buffer index; null where the buffer is external
 */

/**
 * An executable with external buffers bound: all that a step needs, made once. Its pipelines and
 * workgroups are the executable's own.
 * @typedef {object} Bound
 * @property {GPUComputePipeline[]} pipelines
 * @property {GPUBindGroup[]} groups
 * @property {[number, number, number][]} workgroups
 * @property {GPUBuffer | null} scalars
 */

/** Loads programs and binds them to buffers. */
export class Loader {
  #device;
  #buffers;
  #layouts;
  #pipelines;
  #counters;

  /**
   * @param {GPUDevice} device
   * @param {Buffers} buffers
   * @param {Layouts} layouts
   * @param {Pipelines} pipelines
   * @param {Counters} counters
   */
  constructor(device, buffers, layouts, pipelines, counters) {
    this.#device = device;
    this.#buffers = buffers;
    this.#layouts = layouts;
    this.#pipelines = pipelines;
    this.#counters = counters;
  }

  /**
   * @param {Program} program
   * @returns {Executable}
   */
  load(program) {
    const requests = program.dispatches.map((dispatch) => requestOf(program, dispatch));
    const pipelines = requests.map((request) => this.#pipelines.now(request));
    const workgroups = program.dispatches.map((dispatch) => dispatch.workgroups);
    return { program, requests, replaced: new Map(), pipelines, workgroups, scratch: this.#scratch(program) };
  }

  /**
   * @param {Program} program
   * @param {((done: number, total: number) => void) | null} onProgress counts distinct kernels
   * @returns {Promise<Executable>}
   */
  async loadAsync(program, onProgress) {
    const distinct = distinctOf(program.dispatches.map((dispatch) => requestOf(program, dispatch)));
    let done = 0;
    onProgress?.(0, distinct.length);
    const compile = async (/** @type {import("./pipelines.js").Request} */ request) => {
      await this.#pipelines.soon(request);
      done += 1;
      onProgress?.(done, distinct.length);
    };
    // Wait for all, also when one fails, so that no rejection is left without a handler.
    const results = await Promise.allSettled(distinct.map(compile));
    for (const result of results) if (result.status === "rejected") throw result.reason;
    return this.load(program);
  }

  /**
   * Lets a dispatch launch another kernel from now on, in all that is bound.
   * @param {Executable} executable
   * @param {number} index of the dispatch
   * @param {import("./benches.js").Kernel} kernel
   */
  replace(executable, index, { request, pipeline, workgroups }) {
    this.#pipelines.adopt(request, pipeline);
    executable.replaced.set(index, request);
    executable.pipelines[index] = pipeline;
    executable.workgroups[index] = workgroups;
  }

  /** @param {Executable} executable */
  unload(executable) {
    for (const buffer of executable.scratch) if (buffer) this.#buffers.destroy(buffer);
  }

  /**
   * @param {Executable} executable
   * @param {GPUBuffer[]} externals in the order of the program's external buffers
   * @returns {Bound}
   */
  bind(executable, externals) {
    const { program, pipelines, workgroups, scratch } = executable;
    const waiting = [...externals];
    const buffers = scratch.map((own) => own ?? waiting.shift() ?? missing(program, externals));
    const scalars = this.#scalars(program);
    /** @type {Map<string, GPUBindGroup>} */
    const distinct = new Map();
    const groups = program.dispatches.map((dispatch) => {
      const key = `${signatureOf(dispatch)} ${dispatch.bindings}`;
      let group = distinct.get(key);
      if (!group) {
        group = this.#group(dispatch, buffers, scalars);
        distinct.set(key, group);
      }
      return group;
    });
    return { pipelines, groups, workgroups, scalars };
  }

  /** @param {Bound} bound */
  unbind(bound) {
    if (bound.scalars) this.#buffers.destroy(bound.scalars);
  }

  /** @param {Program} program */
  #scratch(program) {
    const usage = USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST;
    return program.buffers.map(({ role, size_bytes, label }) =>
      role === "scratch" ? this.#buffers.create(words(size_bytes), usage, label) : null,
    );
  }

  /** @param {Program} program */
  #scalars(program) {
    if (!program.dispatches.some((dispatch) => dispatch.uses_scalars)) return null;
    const size = scalarsBytes(program.scalars.length);
    return this.#buffers.create(size, USAGE.UNIFORM | USAGE.COPY_DST, "scalars");
  }

  /**
   * @param {Dispatch} dispatch
   * @param {GPUBuffer[]} buffers
   * @param {GPUBuffer | null} scalars
   */
  #group(dispatch, buffers, scalars) {
    /** @type {GPUBufferBinding[]} */
    const resources = dispatch.bindings.map(([buffer, offset, size]) => ({
      buffer: buffers[buffer],
      offset,
      size: words(size),
    }));
    if (dispatch.uses_scalars && scalars) resources.push({ buffer: scalars });
    this.#counters.bindGroupsCreated += 1;
    return this.#device.createBindGroup({
      label: dispatch.label,
      layout: this.#layouts.get(signatureOf(dispatch)).group,
      entries: resources.map((resource, binding) => ({ binding, resource })),
    });
  }
}

/** Each kernel once, under the name of its first use. @param {import("./pipelines.js").Request[]} requests */
export function distinctOf(requests) {
  const byKernel = new Map(requests.toReversed().map((request) => [request.signature + request.source, request]));
  return [...byKernel.values()].reverse();
}

/**
 * @param {Program} program
 * @param {Dispatch} dispatch
 */
function requestOf(program, dispatch) {
  const source = program.shaders[dispatch.shader];
  return { source, signature: signatureOf(dispatch), label: dispatch.label };
}

/**
 * @param {Program} program
 * @param {GPUBuffer[]} externals
 * @returns {never}
 */
function missing(program, externals) {
  const expected = program.buffers.filter((buffer) => buffer.role !== "scratch").length;
  throw new Error(`bind: expected ${expected} external buffers, got ${externals.length}`);
}
