// The kernels that a script is expected to need, compiled while Python starts: those that its last run waited for, or
// of an example that did not run yet, those that the build has found.

/** @typedef {import("../executor/executor.js").Executor} Executor */
/** @typedef {import("../executor/pipelines.js").Request} Request */

/**
 * The kernels of one script on one adapter.
 * @typedef {object} Entry
 * @property {string} script
 * @property {string} adapter
 * @property {string} edition
 * @property {Request[]} kernels
 */

/**
 * The kernels of an example's first program on adapters of a kind, as the build has found them.
 * @typedef {object} Example
 * @property {string} script
 * @property {string} kind
 * @property {Request[]} kernels
 */

const KEY = "kernels";

/** The most scripts, and the most characters of all of them. */
const MOST_SCRIPTS = 8;
const MOST_CHARACTERS = 2_000_000;

/** Which kernels scripts are expected to need. They are hints: other kernels are compiled when a program needs them. */
export class ExpectedKernels {
  #database;
  #edition;
  /** @type {() => Promise<Example[]>} */
  #examples;
  /** @type {Promise<Executor | null>} */
  #executor;
  /** @type {(executor: Executor | null) => void} */
  #resolve = () => {};

  /**
   * @param {import("./database.js").Database} database
   * @param {string} edition of the bundle; another one's kernels are not expected
   * @param {Promise<Response>} examples that the build has found, as JSON
   */
  constructor(database, edition, examples) {
    this.#database = database;
    this.#edition = edition;
    examples.catch(() => {}); // a hint is missing
    this.#examples = async () => (await examples).clone().json();
    this.#executor = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** Called once, as soon as it is known. @param {Executor | null} executor null without WebGPU */
  attach(executor) {
    this.#resolve(executor);
  }

  /** Compiles what this script is expected to need. @param {string} script */
  async compileFor(script) {
    const [entries, executor] = await Promise.all([this.#read(), this.#executor]);
    if (executor === null) return;
    const own = entries.find(this.#matcher(script, executor));
    const { kind } = executor.info();
    const found = own ?? (await this.#examples()).find((example) => example.script === script && example.kind === kind);
    await executor.prepare(found?.kernels ?? []);
  }

  /** Keeps what this script's programs use now, for the next visit. @param {string} script */
  async keep(script) {
    const executor = await this.#executor;
    const kernels = executor?.kernelsInUse() ?? [];
    if (executor === null || kernels.length === 0) return;
    const fits = this.#matcher(script, executor);
    const entries = await this.#read();
    const entry = { script, adapter: adapterOf(executor), edition: this.#edition, kernels };
    if (JSON.stringify(entries.find(fits)) === JSON.stringify(entry)) return;
    await this.#database.write(KEY, bounded([entry, ...entries.filter((other) => !fits(other))]));
  }

  /** @param {string} script @param {Executor} executor @returns {(entry: Entry) => boolean} */
  #matcher(script, executor) {
    const adapter = adapterOf(executor);
    return (entry) => entry?.script === script && entry.adapter === adapter && entry.edition === this.#edition;
  }

  /** @returns {Promise<Entry[]>} the newest first */
  async #read() {
    try {
      const entries = JSON.parse((await this.#database.read(KEY)) ?? "[]");
      return Array.isArray(entries) ? entries : [];
    } catch {
      return []; // a script can write there, too
    }
  }
}

/** Kernels are written for an adapter's kind and limits. @param {Executor} executor */
const adapterOf = (executor) => JSON.stringify(executor.info());

/** The newest entries that fit, as text. @param {Entry[]} entries */
function bounded(entries) {
  const texts = entries.slice(0, MOST_SCRIPTS).map((entry) => JSON.stringify(entry));
  let length = 0;
  const kept = texts.filter((text) => (length += text.length) <= MOST_CHARACTERS);
  return `[${kept.join(",")}]`;
}
