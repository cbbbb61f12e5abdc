/** @typedef {import("./counters.js").Counters} Counters */

const COMPUTE = 0x4; // GPUShaderStage.COMPUTE

/**
 * Bind group layouts and pipeline layouts, one pair for each signature such as `"r,rw|s"`.
 */
export class Layouts {
  /** @type {Map<string, {group: GPUBindGroupLayout, pipeline: GPUPipelineLayout}>} */
  #bySignature = new Map();
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

  /** @param {string} signature */
  get(signature) {
    let layout = this.#bySignature.get(signature);
    if (!layout) {
      layout = this.#create(signature);
      this.#bySignature.set(signature, layout);
    }
    return layout;
  }

  /** @param {string} signature */
  #create(signature) {
    const [storage, scalars] = signature.split("|");
    /** @type {GPUBufferBindingType[]} */
    const types = storage
      .split(",")
      .filter(Boolean)
      .map((access) => (access === "r" ? "read-only-storage" : "storage"));
    if (scalars === "s") types.push("uniform");
    const group = this.#device.createBindGroupLayout({
      label: signature,
      entries: types.map((type, binding) => ({ binding, visibility: COMPUTE, buffer: { type } })),
    });
    this.#counters.layoutsCreated += 1;
    const pipeline = this.#device.createPipelineLayout({ label: signature, bindGroupLayouts: [group] });
    return { group, pipeline };
  }
}
