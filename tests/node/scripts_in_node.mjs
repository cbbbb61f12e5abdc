// Runs scripts one after the other in one Python, as the page does: reads {script, arguments, device} by lines and
// answers each with {status, stdout, stderr}. Argument: the folder that scripts see. It ends with Python.

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { readBundle } from "../../web/node/bundle.mjs";
import { openDawn } from "../../web/node/dawn.mjs";
import { threadsIn } from "../../web/node/threads.mjs";
import { Python } from "../../web/python/python.js";

const folder = process.argv[2];
const bundle = await readBundle(null);
const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
let written = { stdout: "", stderr: "" };

const python = await Python.start({
  ...bundle,
  gpu: await openDawn(),
  onEvent: (event) => {
    if (event.type === "error") written.stderr += `${event.traceback ?? ""}\n${event.message}\n`;
  },
  onOutput: (bytes, stream) => {
    written[stream] += decoders[stream].decode(bytes, { stream: true });
  },
  openThread: threadsIn({ bundle: null, mounted: [folder], current: folder, folder: import.meta.dirname }),
});
python.mount(folder);
python.enter(folder, import.meta.dirname);

for await (const line of createInterface({ input: process.stdin })) {
  const { script, arguments: given, device } = JSON.parse(line);
  written = { stdout: "", stderr: "" };
  python.selectDevice(device);
  python.setTuning(process.env.TABGRAD_TUNING ?? "off");
  const end = await Promise.race([python.run(await readFile(script, "utf8"), script, given), python.crashed]);
  if (typeof end !== "number") written.stderr += `${end.traceback ?? ""}\n${end.message}\n`;
  console.log(JSON.stringify({ status: typeof end === "number" ? end : end.status, ...written }));
  if (python.isOver) process.exit(1);
}
process.exit(0);
