import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { create } from "webgpu";

// Where distributions install a Vulkan driver that needs no GPU and that Dawn accepts.
const SOFTWARE_DRIVERS = ["/usr/lib/chromium/vk_swiftshader_icd.json"];

// A browser rounds timestamps so that pages cannot spy; here they may be as fine as the GPU gives them.
const OPTIONS = ["disable-dawn-features=timestamp_quantization"];

/**
 * Dawn's `navigator.gpu`. On a machine without a GPU it runs on Chromium's software driver.
 * @returns {Promise<GPU>}
 */
export async function openDawn() {
  process.env.XDG_RUNTIME_DIR ??= tmpdir(); // or drivers print a complaint about it
  const gpu = keep(create(OPTIONS));
  if (process.env.VK_DRIVER_FILES || (await gpu.requestAdapter())) return gpu;
  const driver = SOFTWARE_DRIVERS.find((file) => existsSync(file));
  if (!driver) return gpu;
  process.env.VK_DRIVER_FILES = driver;
  return keep(create(OPTIONS));
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
