// node compile_bytecode.mjs PYODIDE_FOLDER JOBS_JSON
// Runs bytecode.py inside Pyodide over each job: {source, target, keepSources}.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, jobsPath] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(resolve(folder, "pyodide.mjs")).href);
const pyodide = await loadPyodide({ indexURL: resolve(folder) });
pyodide.runPython(readFileSync(new URL("bytecode.py", import.meta.url), "utf8"));
const compileArchive = pyodide.globals.get("compile_archive");

for (const { source, target, keepSources } of JSON.parse(readFileSync(jobsPath, "utf8"))) {
  const content = pyodide.toPy(new Uint8Array(readFileSync(source)));
  const compiled = compileArchive(content.tobytes(), keepSources);
  writeFileSync(target, compiled.toJs());
  compiled.destroy();
  content.destroy();
}
