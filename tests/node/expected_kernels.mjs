// Reads {example, examples} from stdin: an example's program as JSON and its script, and the kernels of all examples as
// the site has them. Writes how many kernels ExpectedKernels compiles before a program is loaded and how many are left to
// its load, case by case; but for the example, the program is a small one.

import { readFileSync } from "node:fs";
import { createExecutor } from "../../web/executor/executor.js";
import { openDawn } from "../../web/node/dawn.mjs";
import { ExpectedKernels } from "../../web/python/kernels.js";

const { example, examples } = JSON.parse(readFileSync(0, "utf8"));
const shaders = ["1.0", "2.0", "3.0"].map(
  (value) => `@group(0) @binding(0) var<storage, read_write> b: array<f32>;
@compute @workgroup_size(1) fn main() { b[0] = ${value}; }`,
);
const dispatch = (shader) => ({
  shader, label: `set ${shader}`, bindings: [[0, 0, 4, "read_write"]], uses_scalars: false, workgroups: [1, 1, 1],
});
const program = JSON.stringify({
  buffers: [{ size_bytes: 4, role: "scratch", label: "b" }], shaders, dispatches: [0, 1, 2, 1].map(dispatch), scalars: [],
});
const script = "a script";
const gpu = await openDawn();
const texts = new Map();
const database = {
  read: async (key) => texts.get(key) ?? null,
  write: async (key, text) => void texts.set(key, text),
};
const stored = () => JSON.parse(texts.get("kernels") ?? "[]");

/** A visit: what is compiled before and by the load of the program. */
async function visit({ of = script, load = program, edition = "one", found = "[]", adapter = {}, then = async () => {} } = {}) {
  const { executor, reason } = await createExecutor({ gpu, getHeap: () => new Uint8Array(0) });
  if (!executor) throw new Error(reason);
  const info = { ...executor.info(), ...adapter };
  executor.info = () => info;
  const kernels = new ExpectedKernels(database, edition, Promise.resolve(new Response(found)));
  kernels.attach(executor);
  await kernels.compileFor(of);
  const before = executor.counters().pipelinesCreated;
  const id = await executor.loadAsync(load, null);
  const after = executor.counters().pipelinesCreated - before;
  await then(executor, kernels, id);
  const error = executor.takeError();
  executor.close();
  return { before, after, error };
}

const keep = (of) => async (executor, kernels) => kernels.keep(of);
const report = {};
const found = JSON.stringify(examples);
report.built = await visit({ of: example.script, load: example.program, found, then: async (executor) => {
  report.kind = executor.info().kind;
} });
report.changed = await visit({ of: `${example.script}\n`, found });
report.nothing = await visit({ then: keep(script) });
report.again = await visit({ found: "not read" });
report.otherScript = await visit({ of: "other" });
report.otherEdition = await visit({ edition: "two" });
report.otherAdapter = await visit({ adapter: { name: "other" } });

let writes = 0;
const { write } = database;
database.write = (key, text) => ((writes += 1), write(key, text));
await visit({ then: keep(script) });
report.writesOfTheSame = writes;

const swapped = "@compute @workgroup_size(1) fn main() {}";
await visit({
  then: async (executor, kernels, id) => {
    const kernel = await executor.compileKernel(JSON.stringify({ source: swapped, signature: "|", label: "s", workgroups: [1, 1, 1] }));
    executor.replace(id, 0, kernel);
    await kernels.keep(script);
  },
});
report.keepsSwapped = stored()[0].kernels.some(({ source }) => source === swapped);
report.keepsReplaced = stored()[0].kernels.some(({ source }) => source === shaders[0]);

await visit({
  then: async (executor, kernels, id) => {
    executor.unload(id);
    const before = texts.get("kernels");
    await kernels.keep(script);
    report.keptWithoutPrograms = texts.get("kernels") !== before;
  },
});

const [entry] = stored();
report.damaged = {};
for (const [name, text] of Object.entries({
  "no JSON": "{",
  "no list": "null",
  "no entries": "[null, 1]",
  "no WGSL": JSON.stringify([{ ...entry, kernels: [{ source: "no", signature: "r|", label: "no" }] }]),
})) {
  texts.set("kernels", text);
  report.damaged[name] = await visit({ then: keep(script) });
  report.damaged[name].kept = stored()[0].kernels.length;
}

for (let i = 0; i < 12; i++) await visit({ of: "none", then: keep(`script ${i}`) });
report.scripts = stored().map((one) => one.script);
await visit({ of: "none", then: keep("x".repeat(3_000_000)) });
report.characters = texts.get("kernels").length;
console.log(JSON.stringify(report));
process.exit(0);
