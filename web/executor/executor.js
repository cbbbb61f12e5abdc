// Runs tabgrad programs on WebGPU for a Python that lives in wasm, in a browser's worker or in Node.
// Python crosses into JS once a step: ids are small integers, `ptr` is a byte offset into its heap.

import { Benches } from "./benches.js";
import { makeBreathe } from "./breathe.js";
import { Buffers } from "./buffers.js";
import { Counters } from "./counters.js";
import { Faults } from "./faults.js";
import { openDevice } from "./gpu.js";
import { Layouts } from "./layouts.js";
import { Marks } from "./marks.js";
import { Pipelines } from "./pipelines.js";
import { Profiler } from "./profiler.js";
import { distinctOf, Loader } from "./loader.js";
import { Reader } from "./reader.js";
import { Submissions } from "./submissions.js";
import { Timer } from "./timer.js";

// Flags of a run.
const TIMED = 1; // its GPU time is wanted
const MAY_WAIT = 2; // it may be submitted together with later ones

/**
 * @param {object} options
 * @param {GPU | null | undefined} options.gpu `navigator.gpu`, or Dawn's in Node
 * @param {() => Uint8Array} options.getHeap Python's memory, read again each time since it grows
 * @returns {Promise<{executor: Executor, reason: null} | {executor: null, reason: string}>}
 *   `reason` completes the sentence "no WebGPU: …"
 */
export async function createExecutor({ gpu, getHeap }) {
  const opened = await openDevice(gpu);
  if (!opened.device) return { executor: null, reason: opened.reason };
  return { executor: new Executor(opened.device, opened.info, getHeap), reason: null };
}

export class Executor {
  #device;
  #info;
  #getHeap;
  #counters = new Counters();
  #faults;
  #buffers;
  #pipelines;
  #loader;
  #reader;
  #submissions;
  #benches;
  #marks = new Marks();
  #breathe = makeBreathe();
  /** @type {Timer | null} */
  #timer = null;
  /** @type {Profiler | null} */
  #profiler = null;
  /** @type {Map<number, import("./loader.js").Executable>} */
  #executables = new Map();
  /** Those that were waited for. @type {Set<number>} */
  #awaited = new Set();
  /** @type {Map<number, import("./loader.js").Bound>} */
  #bounds = new Map();
  /** @type {Map<number, import("./benches.js").Bench>} */
  #openBenches = new Map();
  /** @type {Map<number, import("./benches.js").Kernel>} */
  #kernels = new Map();
  #nextId = 1;
  /** Python's heap as u32, for descriptors. */
  #words = new Uint32Array(0);

  /**
   * @param {GPUDevice} device
   * @param {import("./gpu.js").Info} info
   * @param {() => Uint8Array} getHeap
   */
  constructor(device, info, getHeap) {
    this.#device = device;
    this.#info = info;
    this.#getHeap = getHeap;
    this.#faults = new Faults(device);
    this.#buffers = new Buffers(device, this.#counters);
    const layouts = new Layouts(device, this.#counters);
    this.#pipelines = new Pipelines(device, layouts, this.#counters, this.#faults);
    this.#loader = new Loader(device, this.#buffers, layouts, this.#pipelines, this.#counters);
    this.#reader = new Reader(device, this.#buffers, this.#counters, getHeap);
    this.#submissions = new Submissions(device, this.#buffers, this.#counters);
    this.#benches = new Benches(device, layouts, this.#pipelines, getHeap);
  }

  info() {
    return this.#info;
  }

  counters() {
    return { ...this.#counters };
  }

  /** What was counted of kernels apart from programs. */
  benchCounters() {
    return { ...this.#benches.counters };
  }

  /** The first error that WebGPU reported since the last call, or null. */
  takeError() {
    return this.#faults.take();
  }

  /** Why the device is gone, or null while it lives. */
  lost() {
    return this.#faults.lost;
  }

  // Buffers

  /** @param {number} size in bytes */
  createBuffer(size) {
    return this.#buffers.register(size);
  }

  /** @param {number} id */
  destroyBuffer(id) {
    this.#submissions.flush();
    this.#buffers.unregister(id);
  }

  /**
   * Queues an upload. `offset` and `size` are multiples of 4.
   * @param {number} id
   * @param {number} offset
   * @param {number} ptr
   * @param {number} size in bytes
   */
  write(id, offset, ptr, size) {
    this.#submissions.flush();
    this.#upload(this.#buffers.get(id), offset, ptr, size, this.#getHeap());
  }

  // Programs

  /** Usable at once; a shader that does not compile is reported by `takeError`. @param {string} json */
  load(json) {
    return this.#keep(this.#loader.load(JSON.parse(json)));
  }

  /**
   * Begins to compile a kernel that a program will be loaded with by `loadAsync`, which reports what is wrong with it.
   * @param {string} source
   * @param {string} signature
   * @param {string} label
   */
  expect(source, signature, label) {
    void this.prepare([{ source, signature, label }]);
  }

  /**
   * @param {string} json
   * @param {((done: number, total: number) => void) | null} onProgress
   */
  async loadAsync(json, onProgress) {
    const id = this.#keep(await this.#loader.loadAsync(JSON.parse(json), onProgress));
    this.#awaited.add(id);
    return id;
  }

  /**
   * Compiles kernels that programs are expected to need; one that does not compile is left to its program.
   * @param {import("./pipelines.js").Request[]} requests
   */
  async prepare(requests) {
    await Promise.allSettled(requests.map((request) => this.#pipelines.soon(request)));
  }

  /**
   * The kernels that all programs that were waited for will begin with the next time, each once: on GPUs those that
   * compile fast, elsewhere those that were found to run fast.
   */
  kernelsInUse() {
    const executables = [...this.#awaited].map((id) => need(this.#executables, id, "executable"));
    const begins = this.info().kind === "gpu";
    return distinctOf(
      executables.flatMap(({ requests, replaced }) => requests.map((own, n) => (begins ? own : (replaced.get(n) ?? own)))),
    );
  }

  /** @param {number} exeId */
  unload(exeId) {
    this.#submissions.flush();
    this.#loader.unload(need(this.#executables, exeId, "executable"));
    this.#executables.delete(exeId);
    this.#awaited.delete(exeId);
  }

  /**
   * @param {number} exeId
   * @param {number} ptr to `count` buffer ids, u32, in the order of the program's externals
   * @param {number} count
   */
  bind(exeId, ptr, count) {
    const at = ptr >>> 2;
    const ids = Array.from(this.#heapWords().subarray(at, at + count));
    const executable = need(this.#executables, exeId, "executable");
    const externals = ids.map((id) => this.#buffers.get(id));
    const boundId = this.#nextId++;
    this.#bounds.set(boundId, this.#loader.bind(executable, externals));
    return boundId;
  }

  /** @param {number} boundId */
  unbind(boundId) {
    this.#submissions.flush();
    this.#loader.unbind(need(this.#bounds, boundId, "bound program"));
    this.#bounds.delete(boundId);
  }

  /**
   * One step: uploads, one pass with every dispatch, and a submit, unless it may wait for the next. Creates nothing.
   * @param {number} boundId
   * @param {number} ptr to u32 `[flags, scalarsPtr, numScalars, numWrites, (id, offset, ptr, size)*]`
   * @returns {boolean} whether an error or a loss waits to be asked for
   */
  run(boundId, ptr) {
    const bound = need(this.#bounds, boundId, "bound program");
    const flags = this.#heapWords()[ptr >>> 2];
    const timer = flags & TIMED ? this.#timing() : null;
    const waits = (flags & MAY_WAIT) !== 0 && !timer && this.#submissions.collects(this.#brought(bound, ptr));
    if (!waits) this.#submissions.flush();
    this.#feed(bound, ptr, waits);
    this.#submissions.record(bound, timer);
    if (!waits || this.#submissions.isLarge) this.#submissions.flush();
    timer?.collect();
    return this.#faults.pending;
  }

  /**
   * As `run`, with each dispatch in a pass of its own whose begin and end, u64 ns, go to a buffer.
   * The device has the feature timestamp-query.
   * @param {number} boundId
   * @param {number} ptr as of `run`
   * @param {number} stampsId 16 bytes for each dispatch
   * @returns {boolean} whether an error or a loss waits to be asked for
   */
  profile(boundId, ptr, stampsId) {
    const bound = need(this.#bounds, boundId, "bound program");
    this.#submissions.flush();
    this.#feed(bound, ptr, false);
    this.#profiler ??= new Profiler(this.#device, this.#buffers);
    const encoder = this.#device.createCommandEncoder();
    this.#profiler.encode(encoder, bound, this.#buffers.get(stampsId));
    this.#device.queue.submit([encoder.finish()]);
    this.#counters.submits += 1;
    this.#counters.dispatches += bound.pipelines.length;
    return this.#faults.pending;
  }

  /**
   * Uploads what a run is given, at once or with the submit that it waits for.
   * @param {import("./loader.js").Bound} bound
   * @param {number} ptr
   * @param {boolean} waits
   */
  #feed(bound, ptr, waits) {
    const heap = this.#getHeap();
    const words = this.#heapWords();
    /** @type {(buffer: GPUBuffer, offset: number, ptr: number, size: number) => void} */
    const put = (buffer, offset, from, size) => {
      if (waits && size > 0) this.#collect(buffer, offset, from, size, heap);
      else this.#upload(buffer, offset, from, size, heap);
    };
    let at = (ptr >>> 2) + 1;
    const scalarsPtr = words[at++];
    const numScalars = words[at++];
    if (bound.scalars) put(bound.scalars, 0, scalarsPtr, 4 * numScalars);
    for (let left = words[at++]; left > 0; left--) {
      const buffer = this.#buffers.get(words[at++]);
      put(buffer, words[at++], words[at++], words[at++]);
    }
  }

  /**
   * Bytes that a run brings along.
   * @param {import("./loader.js").Bound} bound
   * @param {number} ptr
   */
  #brought(bound, ptr) {
    const words = this.#heapWords();
    const at = ptr >>> 2;
    let size = bound.scalars ? 4 * words[at + 2] : 0;
    for (let write = 0; write < words[at + 3]; write++) size += words[at + 7 + 4 * write];
    return size;
  }

  // Kernels apart from programs

  /** @param {string} json */
  async compileKernel(json) {
    const kernel = await this.#benches.compile(JSON.parse(json));
    const id = this.#nextId++;
    this.#kernels.set(id, kernel);
    return id;
  }

  /** Usable at once; one that does not compile is reported by `takeError`. @param {string} json */
  compileKernelNow(json) {
    const id = this.#nextId++;
    this.#kernels.set(id, this.#benches.compileNow(JSON.parse(json)));
    return id;
  }

  /** @param {number} kernelId */
  releaseKernel(kernelId) {
    this.#kernels.delete(kernelId);
  }

  /**
   * @param {number} exeId
   * @param {number} index of the dispatch
   * @param {number} kernelId
   */
  replace(exeId, index, kernelId) {
    const executable = need(this.#executables, exeId, "executable");
    this.#loader.replace(executable, index, need(this.#kernels, kernelId, "kernel"));
  }

  /** @param {string} json */
  openBench(json) {
    const id = this.#nextId++;
    this.#openBenches.set(id, this.#benches.open(JSON.parse(json)));
    return id;
  }

  /** @param {number} benchId */
  closeBench(benchId) {
    this.#benches.close(need(this.#openBenches, benchId, "bench"));
    this.#openBenches.delete(benchId);
  }

  /**
   * Queues an upload to a bench's binding; -1 names its scalars.
   * @param {number} benchId
   * @param {number} binding
   * @param {number} offset
   * @param {number} ptr
   * @param {number} size in bytes
   */
  writeBench(benchId, binding, offset, ptr, size) {
    const { buffers, scalars } = need(this.#openBenches, benchId, "bench");
    const buffer = binding < 0 ? scalars : buffers[binding];
    if (buffer) this.#benches.write(buffer, offset, this.#getHeap(), ptr, size);
  }

  /**
   * @param {number} benchId
   * @param {number} kernelId
   * @param {number} repeats
   */
  async runBench(benchId, kernelId, repeats) {
    const bench = need(this.#openBenches, benchId, "bench");
    return this.#benches.run(bench, need(this.#kernels, kernelId, "kernel"), repeats);
  }

  /**
   * Copies ranges of a bench's bindings into Python's heap.
   * @param {number} benchId
   * @param {number} ptr to u32 `[count, (binding, offset, size, targetPtr)*]`; read before this returns
   */
  async readBench(benchId, ptr) {
    const { buffers } = need(this.#openBenches, benchId, "bench");
    await this.#benches.read(this.#ranges(ptr, (binding) => buffers[binding]));
  }

  // Waiting

  /**
   * Copies GPU ranges into Python's heap, as one transaction.
   * @param {number} ptr to u32 `[count, (id, offset, size, targetPtr)*]`; read before this returns
   * @returns {Promise<number | undefined>} GPU time in ms of the newest timed run whose timestamps have
   *   arrived, -1 if there is none; undefined if an error or a loss waits to be asked for
   */
  async read(ptr) {
    this.#submissions.flush();
    await this.#reader.read(this.#ranges(ptr, (id) => this.#buffers.get(id)));
    return this.#faults.pending ? undefined : (this.#timer?.newestMs ?? -1);
  }

  /** Resolves when all submitted work is done. */
  async fence() {
    this.#submissions.flush();
    await this.#workDone();
    return this.#faults.pending;
  }

  /** Submits what waits. */
  flush() {
    this.#submissions.flush();
  }

  /** Notes this place in the order of work. @returns {number} the mark's id */
  mark() {
    this.#submissions.flush();
    return this.#marks.set(this.#workDone());
  }

  /**
   * When a mark was reached, by `now`; -1 as long as it was not, and NaN if an error or a loss waits to be asked for.
   * @param {number} markId
   */
  reachedMs(markId) {
    return this.#faults.pending ? Number.NaN : this.#marks.reachedMs(markId);
  }

  /** Resolves when a mark is reached. @param {number} markId */
  async waitForMark(markId) {
    await this.#marks.wait(markId);
    return this.#faults.pending;
  }

  /** @param {number} markId */
  dropMark(markId) {
    this.#marks.drop(markId);
  }

  /** The clock of marks, in ms. */
  now() {
    return performance.now();
  }

  /** Submits what waits; resolves after other messages had their turn. */
  breathe() {
    this.#submissions.flush();
    return this.#breathe();
  }

  /** Destroys the device with all that it holds. */
  close() {
    this.#faults.close();
    this.#device.destroy();
  }

  /**
   * @param {number} ptr to u32 `[count, (id, offset, size, targetPtr)*]`
   * @param {(id: number) => GPUBuffer} bufferOf
   */
  #ranges(ptr, bufferOf) {
    const words = this.#heapWords();
    let at = ptr >>> 2;
    const ranges = [];
    for (let left = words[at++]; left > 0; left--) {
      const source = bufferOf(words[at++]);
      ranges.push({ source, offset: words[at++], size: words[at++], target: words[at++] });
    }
    return ranges.filter((range) => range.size > 0);
  }

  /** @param {import("./loader.js").Executable} executable */
  #keep(executable) {
    const id = this.#nextId++;
    this.#executables.set(id, executable);
    return id;
  }

  /**
   * @param {GPUBuffer} buffer
   * @param {number} offset
   * @param {number} ptr
   * @param {number} size
   * @param {Uint8Array} heap
   */
  #upload(buffer, offset, ptr, size, heap) {
    if (size === 0) return;
    this.#device.queue.writeBuffer(buffer, offset, /** @type {Uint8Array<ArrayBuffer>} */ (heap), ptr, size);
    this.#counters.bytesUploaded += size;
  }

  /**
   * As `#upload`, with the submit.
   * @param {GPUBuffer} buffer
   * @param {number} offset
   * @param {number} ptr
   * @param {number} size
   * @param {Uint8Array} heap
   */
  #collect(buffer, offset, ptr, size, heap) {
    this.#submissions.collect(buffer, offset, heap.subarray(ptr, ptr + size));
    this.#counters.bytesUploaded += size;
  }

  /** Fails with a lost device, and never throws. */
  async #workDone() {
    await this.#device.queue.onSubmittedWorkDone();
  }

  #timing() {
    if (!this.#info.features.includes("timestamp-query")) return null;
    this.#timer ??= new Timer(this.#device, this.#buffers, this.#counters);
    return this.#timer;
  }

  #heapWords() {
    const { buffer } = this.#getHeap();
    if (this.#words.buffer !== buffer) this.#words = new Uint32Array(/** @type {ArrayBuffer} */ (buffer));
    return this.#words;
  }
}

/**
 * @template T
 * @param {Map<number, T>} map
 * @param {number} id
 * @param {string} what
 */
function need(map, id, what) {
  const found = map.get(id);
  if (!found) throw new Error(`no ${what} has the id ${id}; it was released or never made`);
  return found;
}
