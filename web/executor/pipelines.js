/** @typedef {import("./counters.js").Counters} Counters */
/** @typedef {import("./faults.js").Faults} Faults */
/** @typedef {import("./layouts.js").Layouts} Layouts */

/**
 * @typedef {object} Request
 * @property {string} source WGSL with the entry point `main`
 * @property {string} signature of its bindings, see `signatureOf`
 * @property {string} label the kernel's name, for messages
 */

/**
 * Compiled kernels, shared by all programs: the same WGSL is compiled once.
 */
export class Pipelines {
  /** @type {Map<string, GPUComputePipeline>} */
  #ready = new Map();
  /** @type {Map<string, Promise<GPUComputePipeline>>} */
  #compiling = new Map();
  #device;
  #layouts;
  #counters;
  #faults;

  /**
   * @param {GPUDevice} device
   * @param {Layouts} layouts
   * @param {Counters} counters
   * @param {Faults} faults
   */
  constructor(device, layouts, counters, faults) {
    this.#device = device;
    this.#layouts = layouts;
    this.#counters = counters;
    this.#faults = faults;
  }

  /**
   * A pipeline usable at once; the driver may still compile behind it. A shader that does not
   * compile is reported to `faults` later.
   * @param {Request} request
   */
  now(request) {
    const key = keyOf(request);
    const ready = this.#ready.get(key);
    if (ready) return ready;
    this.#device.pushErrorScope("validation");
    const { module, descriptor } = this.#describe(request, this.#counters);
    const pipeline = this.#device.createComputePipeline(descriptor);
    const check = this.#device.popErrorScope().then((error) => {
      if (!error) return null;
      this.#ready.delete(key);
      return explain(request.label, module, error);
    });
    this.#faults.expect(check).catch(ignoreLoss);
    this.#ready.set(key, pipeline);
    return pipeline;
  }

  /**
   * Compiles off this thread; several requests at once are compiled side by side.
   * @param {Request} request
   * @throws {Error} the shader does not compile; names the kernel and the compiler's message
   */
  async soon(request) {
    const key = keyOf(request);
    const ready = this.#ready.get(key);
    if (ready) return ready;
    const compiling = this.#compiling.get(key) ?? this.#compileAndKeep(request, key);
    this.#compiling.set(key, compiling);
    return compiling;
  }

  /**
   * As `soon`, but what has to be compiled is not kept, and is counted elsewhere.
   * @param {Request} request
   * @param {Counters} counters
   */
  async apart(request, counters) {
    return this.#ready.get(keyOf(request)) ?? this.#compile(request, counters);
  }

  /**
   * Keeps what `apart` gave: a program uses it from now on.
   * @param {Request} request
   * @param {GPUComputePipeline} pipeline
   */
  adopt(request, pipeline) {
    this.#ready.set(keyOf(request), pipeline);
  }

  /**
   * @param {Request} request
   * @param {string} key
   */
  async #compileAndKeep(request, key) {
    try {
      const pipeline = await this.#compile(request, this.#counters);
      this.#ready.set(key, pipeline);
      return pipeline;
    } finally {
      this.#compiling.delete(key);
    }
  }

  /**
   * @param {Request} request
   * @param {Counters} counters
   */
  async #compile(request, counters) {
    // The scope keeps an invalid module from being reported a second time as an uncaptured error.
    this.#device.pushErrorScope("validation");
    const { module, descriptor } = this.#describe(request, counters);
    const invalid = this.#device.popErrorScope();
    try {
      return await this.#device.createComputePipelineAsync(descriptor);
    } catch (error) {
      throw new Error(await explain(request.label, module, /** @type {Error} */ (error)));
    } finally {
      invalid.catch(ignoreLoss);
    }
  }

  /**
   * @param {Request} request
   * @param {Counters} counters
   */
  #describe(request, counters) {
    counters.pipelinesCreated += 1;
    const module = this.#device.createShaderModule({ code: request.source, label: request.label });
    const { pipeline: layout } = this.#layouts.get(request.signature);
    return { module, descriptor: { label: request.label, layout, compute: { module, entryPoint: "main" } } };
  }
}

/** @param {Request} request */
const keyOf = (request) => `${request.signature}\n${request.source}`;

const ignoreLoss = () => {}; // a lost device rejects; `device.lost` tells of it

/**
 * @param {string} label
 * @param {GPUShaderModule} module
 * @param {{message: string}} error
 */
async function explain(label, module, error) {
  const { messages } = await module.getCompilationInfo();
  const errors = messages.filter((message) => message.type === "error");
  const places = errors.map(({ lineNum, linePos, message }) => `line ${lineNum}:${linePos} ${message}`);
  return `kernel ${label} does not compile: ${places.join("; ") || error.message}`;
}
