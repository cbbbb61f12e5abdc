export const USAGE = `usage: node web/node/run.mjs [options] SCRIPT.py [SCRIPT ARGUMENTS]
  --device auto|web|reference   where to train (default: auto)
  --tuning off|background|before[:SECONDS]
                                when kernels are tuned (default: TABGRAD_TUNING, else background)
  --as-torch                    run a script written for PyTorch: import torch means tabgrad
  --torch-rng                   one seed gives PyTorch's random numbers, to compare a run with it
  --events                      write tabgrad's events to stdout, one JSON object a line
  --profile                     time the kernels of the first steps, and print a table
  --profile-steps N             how many steps to profile (default: 16)
  --trace FILE                  write the profile for https://ui.perfetto.dev to a file
  --bundle DIR                  the Pyodide bundle (default: build/pyodide of this checkout)
  --help                        show this text`;

const TUNING = /^(off|background|before)(:\d+(\.\d+)?)?$/;
const DEVICES = ["auto", "web", "reference"];

/**
 * @typedef {object} Options
 * @property {"auto" | "web" | "reference"} device
 * @property {string | null} tuning
 * @property {boolean} asTorch
 * @property {boolean} torchRng
 * @property {boolean} events
 * @property {boolean} help
 * @property {boolean} profile
 * @property {number} profileSteps
 * @property {string | null} trace
 * @property {string | null} bundle
 * @property {string} script
 * @property {string[]} scriptArguments all that follows the script's name
 * @property {string | null} problem why the arguments cannot be used
 */

/**
 * @param {string[]} argv
 * @returns {Options}
 */
export function parseArguments(argv) {
  /** @type {Options} */
  const options = {
    device: "auto",
    tuning: process.env.TABGRAD_TUNING || null,
    asTorch: false,
    torchRng: false,
    events: false,
    help: false,
    profile: false,
    profileSteps: 16,
    trace: null,
    bundle: null,
    script: "",
    scriptArguments: [],
    problem: null,
  };
  let named = false; // tuning, among the arguments
  const waiting = [...argv];
  while (waiting.length && waiting[0].startsWith("-")) {
    const name = waiting.shift();
    if (name === "--help") options.help = true;
    else if (name === "--as-torch") options.asTorch = true;
    else if (name === "--torch-rng") options.torchRng = true;
    else if (name === "--events") options.events = true;
    else if (name === "--profile") options.profile = true;
    else if (name === "--profile-steps") {
      options.profileSteps = Number(waiting.shift());
      if (!(Number.isInteger(options.profileSteps) && options.profileSteps >= 1))
        options.problem = "--profile-steps: expected a number of steps above 0";
    } else if (name === "--trace") options.trace = waiting.shift() ?? "";
    else if (name === "--bundle") options.bundle = waiting.shift() ?? "";
    else if (name === "--tuning") {
      options.tuning = waiting.shift() ?? "";
      named = true;
    }
    else if (name === "--device") {
      const device = waiting.shift() ?? "";
      if (!DEVICES.includes(device)) options.problem = `--device: expected ${DEVICES.join(", ")}, got "${device}"`;
      options.device = /** @type {Options["device"]} */ (device);
    } else options.problem = `unknown option ${name}`;
  }
  if (options.tuning !== null && !TUNING.test(options.tuning))
    options.problem = `${named ? "--tuning" : "TABGRAD_TUNING"}: expected off, background or before, with :SECONDS if need be, got "${options.tuning}"`;
  options.script = waiting.shift() ?? "";
  options.scriptArguments = waiting;
  if (options.trace !== null && !options.profile) options.problem ??= "--trace: expected --profile, too";
  if (!options.script && !options.problem) options.problem = "expected a script";
  return options;
}
