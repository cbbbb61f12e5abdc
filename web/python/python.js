// The only module that uses Pyodide. It runs in the page's worker and in Node.

import { createExecutor } from "../executor/executor.js";
import { CrashWatch } from "./crash.js";
import { Crew, IdleThreads } from "./crew.js";
import { limitMemory } from "./memory.js";
import { compileLibraries, readPackages, writePackages } from "./packages.js";
import { makeSchedule } from "./schedule.js";
import { createRestorable, LATER, readSnapshot } from "./snapshot.js";
import { connectStreams } from "./streams.js";

/** @typedef {import("pyodide").PyodideInterface} PyodideInterface */
/** @typedef {import("../executor/gpu.js").Info} Info */

/**
 * `build/pyodide/manifest.json`: the contents of the bundle. Paths are relative to the bundle's folder.
 * @typedef {object} Manifest
 * @property {string} indexPath the folder of Pyodide's files
 * @property {{packages: Record<string, object>}} lock Pyodide's, of the bundle's packages
 * @property {string} packagesPath all files of the packages
 * @property {{path: string, file: string}[]} libraries shared libraries that the snapshot refers to
 * @property {string} snapshotPath the memory of a Python that has imported tabgrad
 * @property {{path: string, bytes: number}[]} files
 * @property {number} totalBytes
 */

/**
 * @typedef {object} StartOptions
 * @property {string} root the bundle's folder, a URL or a path that ends in "/"
 * @property {Manifest} manifest
 * @property {(path: string) => Promise<Response>} open reads a file of the bundle
 * @property {GPU | null | undefined} gpu
 * @property {(adapter: Info | null, reason: string | null) => void} [onAdapter] as soon as it is known
 * @property {import("./winners.js").WinnersStore} [winners] the store of winners of kernel tuning
 * @property {import("./kernels.js").ExpectedKernels} [kernels] what to compile while Python starts
 * @property {(event: unknown) => void} onEvent receives tabgrad's events
 * @property {(bytes: Uint8Array, stream: "stdout" | "stderr") => void} onOutput receives what scripts write, as they
 *   write it; the bytes are Python's and must be copied
 * @property {(stream: "stdout" | "stderr") => boolean} [isTerminal]
 * @property {Uint8Array} [interrupt] a 2 in it interrupts the script, as Ctrl+C does
 * @property {import("./crew.js").OpenThread} [openThread] opens threads that prepare batches for loaders
 * @property {() => void} [onTurn] called regularly while Python computes, when no timer runs
 */

/** A Python with tabgrad imported and a GPU attached, if there is one. */
export class Python {
  #pyodide;
  /** @type {any} a Browser of tabgrad.browser */
  #browser;
  #winners;
  #executor;
  #watch;
  /** The executor's adapter; null without WebGPU, with the cause in `reason`. */
  adapter;
  reason;

  /**
   * @param {PyodideInterface} pyodide
   * @param {import("../executor/executor.js").Executor | null} executor
   * @param {string | null} reason
   * @param {CrashWatch} watch
   */
  constructor(pyodide, executor, reason, watch) {
    this.#pyodide = pyodide;
    this.#executor = executor;
    this.#winners = pyodide.pyimport("tabgrad.browser_winners");
    this.adapter = executor ? executor.info() : null;
    this.reason = reason;
    this.#watch = watch;
  }

  /**
   * @param {StartOptions} options
   * @throws {Error} a file of the bundle is missing
   */
  static async start(options) {
    const { root, manifest, open, gpu, winners, kernels, onAdapter, onEvent } = options;
    const indexURL = root + manifest.indexPath;
    /** @type {PyodideInterface | null} */
    let pyodide = null;
    const getHeap = () => /** @type {any} */ (pyodide)._module.HEAPU8;
    const opening = createExecutor({ gpu, getHeap });
    opening.then(({ executor, reason }) => {
      kernels?.attach(executor);
      onAdapter?.(executor?.info() ?? null, reason);
    });
    const kept = winners?.read();
    const files = open(manifest.packagesPath).then(readPackages);
    const snapshot = open(manifest.snapshotPath).then(readSnapshot);
    const libraries = compileLibraries(manifest.libraries, open);
    for (const awaited of [files, snapshot, libraries]) awaited.catch(() => {}); // each is awaited below
    limitMemory();
    const watch = new CrashWatch();
    const [{ loadPyodide }, { default: createModule }] = await Promise.all([
      import(/* @vite-ignore */ `${indexURL}pyodide.mjs`),
      import(/* @vite-ignore */ `${indexURL}pyodide.asm.mjs`),
    ]);
    pyodide = /** @type {PyodideInterface} */ (
      await loadPyodide({
        indexURL,
        lockFileContents: manifest.lock,
        createPyodideModule: createRestorable(createModule, libraries, snapshot, watch),
        _loadSnapshot: LATER,
      })
    );
    writePackages(pyodide.FS, await files);
    // Their files are here and the snapshot has imported them: pyodide.loadPackage has nothing to fetch.
    for (const name of Object.keys(manifest.lock.packages)) pyodide.loadedPackages[name] = "snapshot";
    if (!("setImmediate" in globalThis)) pyodide.pyimport("pyodide.webloop").scheduleCallback = makeSchedule();
    pyodide.runPython("import random; random.seed()"); // the snapshot froze its state
    const { executor, reason } = await opening;
    pyodide.registerJsModule("tabgrad_executor", { executor: executor ?? undefined, reason: reason ?? undefined });
    const idle = options.openThread && new IdleThreads(options.openThread);
    pyodide.registerJsModule("tabgrad_threads", { openCrew: idle && (() => new Crew(idle)) });
    const python = new Python(pyodide, executor, reason, watch);
    const interrupt = connectStreams(pyodide, { ...options, onOutput: watch.around(options.onOutput) });
    python.#browser = pyodide.pyimport("tabgrad.browser").Browser(onEvent, interrupt);
    // Usually read already; a slow store is not waited for.
    kept?.then((text) => python.#winners.use(winners, text ?? undefined));
    return python;
  }

  /** Resolves, with the reason, if Python ends; a new one is then needed. */
  get crashed() {
    return this.#watch.crashed;
  }

  /** Whether Python has ended. */
  get isOver() {
    return this.#watch.over;
  }

  /** Why the GPU was lost, or null. */
  get lost() {
    return this.#executor?.lost() ?? null;
  }

  /** @param {"auto" | "web" | "reference"} name */
  selectDevice(name) {
    this.#browser.select_device(name);
  }

  /**
   * Sets how kernels are tuned from now on, unless a script changes it.
   * @param {string} text `MODE` or `MODE:SECONDS`
   */
  setTuning(text) {
    this.#winners.set_tuning(text);
  }

  /** Lets scripts that were written for PyTorch run: `import torch` then means tabgrad. */
  installAsTorch() {
    this.#browser.install_as_torch();
  }

  /** Lets one seed give PyTorch's random numbers, so that a run can be compared with it. */
  useTorchRng() {
    this.#browser.use_torch_rng();
  }

  /** The number of stored winners of kernel tuning. @returns {number} */
  countWinners() {
    return this.#winners.count();
  }

  /** All winners, as the text of an exported file. @returns {string} */
  exportWinners() {
    return this.#winners.export_text();
  }

  /** @param {string} text of an exported file @returns {string | null} its defect */
  importWinners(text) {
    return this.#winners.import_text(text) ?? null;
  }

  /** Deletes all winners. */
  clearWinners() {
    this.#winners.clear();
  }

  /**
   * Runs a script; its errors are sent as events. If the script ends Python, this never resolves: see `crashed`.
   * @param {string} source
   * @param {string} filename its name in tracebacks
   * @param {string[]} argv
   * @param {number} [profileSteps] number of steps to profile by kernel
   * @returns {Promise<number>} its exit status: 0 on success
   */
  async run(source, filename, argv, profileSteps = 0) {
    this.#watch.watch(filename);
    try {
      return await this.#browser.run(source, filename, argv, profileSteps);
    } catch (error) {
      this.#watch.end(error); // also if the script has damaged the code that runs scripts
      return new Promise(() => {});
    }
  }

  /** In a thread that prepares batches: what answers a message. @returns {(parts: Uint8Array[]) => Uint8Array[]} */
  openPreparer() {
    return this.#pyodide.pyimport("tabgrad.data.workers.threads").open_preparer();
  }

  /**
   * Passes a control message to the running trainer; without a trainer, "stop" interrupts the script.
   * @param {object} message
   * @returns {boolean} whether a trainer takes it
   */
  deliver(message) {
    return this.#browser.deliver(message);
  }

  /**
   * Writes a file that scripts can open.
   * @param {string} path
   * @param {Uint8Array} bytes
   */
  writeFile(path, bytes) {
    this.#pyodide.FS.writeFile(path, bytes);
  }

  /** Node only: mounts a folder of the host in Python at the same path. @param {string} path */
  mount(path) {
    this.#pyodide.FS.mkdirTree(path);
    this.#pyodide.mountNodeFS(path, path);
  }

  /**
   * Makes a folder the current one, and modules in `importable` importable.
   * @param {string} current
   * @param {string} importable
   */
  enter(current, importable) {
    this.#pyodide.FS.chdir(current);
    this.#pyodide.pyimport("sys").path.insert(0, importable);
  }
}
