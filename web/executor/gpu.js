// The only module that asks for a GPU: adapter, device, limits, features, and what they are called.

/**
 * What the compiler may plan with; mirrors `tabgrad.devices.base.Limits`.
 * @typedef {object} Limits
 * @property {number} maxStorageBuffers storage buffers in one shader stage
 * @property {number} maxBindingBytes
 * @property {number} maxBufferBytes
 * @property {number} maxWorkgroups per dimension
 * @property {number} maxInvocations per workgroup
 * @property {number} maxWorkgroupBytes
 */

/**
 * @typedef {object} Info
 * @property {string} name
 * @property {string} vendor
 * @property {string} backend
 * @property {"gpu" | "software"} kind
 * @property {string[]} features
 * @property {Limits} limits
 */

/** WebGPU's own flag values; Node has no `GPUBufferUsage` global. */
export const USAGE = {
  MAP_READ: 0x0001,
  COPY_SRC: 0x0004,
  COPY_DST: 0x0008,
  UNIFORM: 0x0040,
  STORAGE: 0x0080,
  QUERY_RESOLVE: 0x0200,
};

const FEATURES = /** @type {const} */ (["timestamp-query", "shader-f16", "subgroups"]);

const LIMITS = /** @type {const} */ ([
  "maxStorageBuffersPerShaderStage",
  "maxStorageBufferBindingSize",
  "maxBufferSize",
  "maxComputeWorkgroupsPerDimension",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupStorageSize",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
]);

/** How adapters' own words for themselves are written. @type {Record<string, string>} */
const NAMES = { amd: "AMD", nvidia: "NVIDIA", swiftshader: "SwiftShader" };

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|warp|basic render/i;

// Python passes offsets and sizes as u32.
const MAX_ADDRESSABLE = 0xffffff00;

/**
 * The device of the best adapter, with every limit and feature that tabgrad uses.
 * @param {GPU | null | undefined} gpu
 * @returns {Promise<{device: GPUDevice, info: Info} | {device: null, reason: string}>} `reason` is a
 *   clause that completes "no WebGPU: …"
 */
export async function openDevice(gpu) {
  if (!gpu) return { device: null, reason: "this browser does not offer WebGPU" };
  let adapter = null;
  try {
    adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  } catch (error) {
    return { device: null, reason: `asking for a GPU failed (${message(error)})` };
  }
  if (!adapter) return { device: null, reason: "this browser found no usable GPU" };

  const features = FEATURES.filter((name) => adapter.features.has(name));
  /** @type {Record<string, number>} */
  const requiredLimits = {};
  for (const name of LIMITS) requiredLimits[name] = adapter.limits[name];
  try {
    const device = await adapter.requestDevice({ requiredFeatures: [...features], requiredLimits });
    return { device, info: describe(adapter, device, features) };
  } catch (error) {
    return { device: null, reason: `the GPU refused to open (${message(error)})` };
  }
}

/**
 * @param {GPUAdapter} adapter
 * @param {GPUDevice} device
 * @param {readonly string[]} features
 * @returns {Info}
 */
function describe(adapter, device, features) {
  const { vendor, architecture, device: model, description } = adapter.info;
  return {
    name: description || model || [vendor, architecture].filter(Boolean).map(written).join(" ") || "unnamed GPU",
    vendor: vendor || "unknown",
    backend: "WebGPU",
    kind: isSoftware(adapter) ? "software" : "gpu",
    features: [...features],
    limits: {
      maxStorageBuffers: device.limits.maxStorageBuffersPerShaderStage,
      maxBindingBytes: Math.min(device.limits.maxStorageBufferBindingSize, MAX_ADDRESSABLE),
      maxBufferBytes: Math.min(device.limits.maxBufferSize, MAX_ADDRESSABLE),
      maxWorkgroups: device.limits.maxComputeWorkgroupsPerDimension,
      maxInvocations: device.limits.maxComputeInvocationsPerWorkgroup,
      maxWorkgroupBytes: device.limits.maxComputeWorkgroupStorageSize,
    },
  };
}

/** Whether a processor plays the GPU. @param {GPUAdapter} adapter */
export function isSoftware(adapter) {
  const { vendor, architecture, device, description, isFallbackAdapter } = adapter.info;
  return isFallbackAdapter || SOFTWARE.test([description, device, architecture, vendor].join(" "));
}

/** `apple` is Apple. @param {string} word */
function written(word) {
  return NAMES[word] ?? word.charAt(0).toUpperCase() + word.slice(1);
}

/** @param {unknown} error */
function message(error) {
  return error instanceof Error ? error.message : String(error);
}
