// Runs scripts one after the other in one process, as the page does: reads [{source, isGone}] from stdin and writes a
// line of JSON for each, {status, said, again}: how it ended, all that was said of it, and whether a script trains then.

import { readFileSync } from "node:fs";
import { readBundle } from "../../web/node/bundle.mjs";
import { watchProcess } from "../../web/node/uncaught.mjs";
import { Python } from "../../web/python/python.js";

const { scripts, training } = JSON.parse(readFileSync(0, "utf8"));
const bundle = await readBundle(null);
let said = [];
console.error = (...parts) => said.push(parts.join(" "));

let python = await start();
watchProcess({ get isOver() { return python.isOver; } }, () => {});
for (const { source } of scripts) {
  said = [];
  const status = await ended(source);
  const again = python.isOver ? null : await ended(training);
  console.log(JSON.stringify({ status, said: said.join("\n"), again }));
  if (python.isOver) python = await start();
}
process.exit(0);

async function ended(source) {
  const end = await Promise.race([python.run(source, "script.py", []), python.crashed]);
  if (typeof end === "number") return end;
  said.push(end.message);
  return end.status;
}

async function start() {
  const started = await Python.start({
    ...bundle,
    gpu: null,
    onEvent: (event) => event.type === "error" && said.push(event.message, event.traceback),
    onOutput: (bytes) => said.push(new TextDecoder().decode(bytes)),
  });
  started.selectDevice("reference");
  return started;
}
