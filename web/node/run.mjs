// node web/node/run.mjs SCRIPT.py: runs a training script in Pyodide over Dawn.
// The script's own output goes to stdout, progress and errors to stderr.

import path from "node:path";
import { isatty } from "node:tty";
import { parseArguments, USAGE } from "./arguments.mjs";
import { writeAtomically } from "./atomic_file.mjs";
import { readBundle } from "./bundle.mjs";
import { reexecForJspi } from "./jspi.mjs";
import { endWithParent } from "./parent.mjs";
import { Progress } from "./progress.mjs";
import { readScript } from "./script.mjs";
import { threadsIn } from "./threads.mjs";
import { watchProcess } from "./uncaught.mjs";
import { fileWinners } from "./winners.mjs";
import { writeAll } from "./writing.mjs";

const FD = { stdout: 1, stderr: 2 };

process.exit(await main());

/** @returns {Promise<number>} the exit code */
async function main() {
  endWithParent();
  const options = parseArguments(process.argv.slice(2));
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  if (options.problem) return fail(`${options.problem}\n${USAGE}`, 2);
  const exitCode = await reexecForJspi();
  if (exitCode !== null) return exitCode;

  const script = path.resolve(options.script);
  const read = await readScript(script);
  if ("problem" in read) return fail(read.problem, 2);
  const bundle = await readBundle(options.bundle);
  if ("problem" in bundle) return fail(bundle.problem, 2);

  const progress = new Progress({ isTTY: isatty(FD.stderr), write: (text) => writeAll(FD.stderr, text) });
  const python = await startPython(bundle, options, progress);
  if (options.device === "web" && !python.adapter) return fail(`no WebGPU: ${python.reason}`, 1);
  python.selectDevice(options.device);
  if (options.tuning !== null) python.setTuning(options.tuning);
  if (options.asTorch) python.installAsTorch();
  if (options.torchRng) python.useTorchRng();
  stopOnInterrupt(python);
  watchProcess(python, () => progress.end());
  const run = python.run(read.source, script, options.scriptArguments, options.profile ? options.profileSteps : 0);
  const status = await Promise.race([run, python.crashed]);
  progress.end();
  return typeof status === "number" ? status : tellCrash(status);
}

/**
 * @param {import("./bundle.mjs").Bundle} bundle
 * @param {import("./arguments.mjs").Options} options
 * @param {Progress} progress
 */
async function startPython(bundle, options, progress) {
  const { Python } = await import("../python/python.js");
  const { openDawn } = await import("./dawn.mjs");
  const folder = path.dirname(path.resolve(options.script));
  const current = process.cwd();
  const mounted = outermost([folder, current]);
  const python = await Python.start({
    ...bundle,
    gpu: options.device === "reference" ? null : await openDawn(),
    winners: fileWinners(),
    onEvent: (event) => {
      if (options.events) writeAll(FD.stdout, `${JSON.stringify(event)}\n`);
      const known = /** @type {import("../src/protocol.ts").TabgradEvent} */ (event);
      progress.show(known);
      if (known.type === "profile" && options.trace) writeTrace(options.trace, known.trace);
    },
    onOutput: (bytes, stream) => writeAll(FD[stream], bytes),
    isTerminal: (stream) => isatty(FD[stream]),
    openThread: threadsIn({ bundle: options.bundle, mounted, current, folder }),
  });
  for (const shown of mounted) python.mount(shown);
  python.enter(current, folder);
  return python;
}

/**
 * @param {string} file
 * @param {string} trace
 */
function writeTrace(file, trace) {
  try {
    writeAtomically(file, trace, "train --trace");
    console.error(`trace: ${file}; open it at https://ui.perfetto.dev`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error); // the training goes on
  }
}

/** @param {import("../python/crash.js").Crash} crash @returns {number} the exit code */
function tellCrash({ message, traceback, status }) {
  if (traceback) console.error(traceback);
  return fail(message, status);
}

/** Folders that lie in no other of the list. @param {string[]} folders */
function outermost(folders) {
  const inside = (/** @type {string} */ a, /** @type {string} */ b) => a.startsWith(b === "/" ? b : `${b}/`);
  return [...new Set(folders)].filter((folder) => !folders.some((other) => inside(folder, other)));
}

/** The first Ctrl+C stops after the step, the second at once. @param {import("../python/python.js").Python} python */
function stopOnInterrupt(python) {
  process.once("SIGINT", () => {
    console.error("\nstopping after this step; press Ctrl+C again to leave at once");
    python.deliver({ type: "stop" });
    process.once("SIGINT", () => process.exit(130));
  });
}

/**
 * @param {string} message
 * @param {number} exitCode
 */
function fail(message, exitCode) {
  console.error(`run.mjs: ${message}`);
  return exitCode;
}
