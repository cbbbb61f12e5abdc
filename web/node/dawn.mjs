import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { create } from "webgpu";
import { isSoftware } from "../executor/gpu.js";

// Where distributions install a Vulkan driver that needs no GPU and that Dawn accepts.
const SOFTWARE_DRIVERS = ["/usr/lib/chromium/vk_swiftshader_icd.json"];

// A browser rounds timestamps so that pages cannot spy; here they may be as fine as the GPU gives them.
const OFF = ["timestamp_quantization"];

// SwiftShader makes a store of each element that it is to set to zero: kernels with workgroup memory take five times
// as long to compile as with a loop of Dawn's that does so.
const OFF_IN_SOFTWARE = [...OFF, "use_vulkan_zero_initialize_workgroup_memory_extension"];

/**
 * Dawn's `navigator.gpu`. On a machine without a GPU it runs on Chromium's software driver.
 * @returns {Promise<GPU>}
 */
export async function openDawn() {
  process.env.XDG_RUNTIME_DIR ??= tmpdir(); // or drivers print a complaint about it
  const gpu = without(OFF);
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (adapter) return isSoftware(adapter) ? without(OFF_IN_SOFTWARE) : gpu;
  const driver = SOFTWARE_DRIVERS.find((file) => existsSync(file));
  if (process.env.VK_DRIVER_FILES || !driver) return gpu;
  process.env.VK_DRIVER_FILES = driver;
  return without(OFF_IN_SOFTWARE);
}

/** @param {string[]} features of Dawn that are on unless asked otherwise */
function without(features) {
  return keep(create([`disable-dawn-features=${features}`]));
}

/**
 * Dawn ends, and crashes what still uses it, once nothing refers to what `create` returned.
 * @param {GPU} gpu
 */
function keep(gpu) {
  const host = /** @type {{dawn?: GPU[]}} */ (globalThis);
  (host.dawn ??= []).push(gpu);
  return gpu;
}
