import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { asParent } from "./parent.mjs";

const FLAG = "--experimental-wasm-stack-switching";

/**
 * Lets Python be suspended, so that `tensor.item()` works: from Node 24 it always can be; before,
 * V8 needs a flag at its start, so this program runs itself again.
 * @returns {Promise<number | null>} the second run's exit code; null where none is needed
 */
export async function reexecForJspi() {
  const able = "Suspending" in WebAssembly || process.execArgv.includes(FLAG);
  if (able) return null;
  const child = spawn(process.execPath, [FLAG, ...process.execArgv, ...process.argv.slice(1)], {
    stdio: "inherit",
    env: { ...process.env, ...asParent() },
  });
  process.on("SIGINT", () => {}); // the terminal sends it to the child too, which decides
  for (const name of /** @type {const} */ (["SIGTERM", "SIGHUP"])) process.on(name, () => child.kill(name));
  const [code, signal] = await once(child, "exit");
  return signal ? 128 + constants.signals[/** @type {NodeJS.Signals} */ (signal)] : code;
}
