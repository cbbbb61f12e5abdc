// node make_snapshot.mjs BUNDLE_FOLDER MANIFEST_JSON TARGET
// Starts Python once, imports tabgrad with all that the page needs, and writes its memory to TARGET, so that the page
// begins where this ended. The packages' shared libraries are loaded as the page loads them, before Python starts: a
// library that were loaded later would lie elsewhere in the page.
//
// TARGET is a container (see web/python/container.js). Most pages of the memory are zero, so only the others follow.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { compileLibraries, readPackages, writePackages } from "../web/python/packages.js";
import { loadFirst } from "../web/python/snapshot.js";

// Python asks once, at its start, whether JavaScript can suspend it, and the snapshot keeps the answer. Where a browser
// cannot, can_run_sync() still says so; so the answer must be yes. From Node 24 it is; before, V8 needs a flag.
const SUSPENDING = "--experimental-wasm-stack-switching";
if (!("Suspending" in WebAssembly) && !process.execArgv.includes(SUSPENDING)) {
  const again = spawnSync(process.execPath, [SUSPENDING, ...process.argv.slice(1)], { stdio: "inherit" });
  process.exit(again.status ?? 1);
}

const PAGE = 4096;
const HEAD_SIZE_AT = 4; // in Pyodide's snapshot
const folder = `${resolve(process.argv[2])}/`;
const manifest = JSON.parse(process.argv[3]);
const target = resolve(process.argv[4]);
const open = async (path) =>
  new Response(readFileSync(folder + path), { headers: { "Content-Type": "application/wasm" } });

const runtime = folder + manifest.indexPath;
const { loadPyodide } = await import(pathToFileURL(`${runtime}pyodide.mjs`).href);
const { default: createModule } = await import(pathToFileURL(`${runtime}pyodide.asm.mjs`).href);
const libraries = compileLibraries(manifest.libraries, open);
const pyodide = await loadPyodide({
  indexURL: runtime,
  lockFileContents: manifest.lock,
  _makeSnapshot: true,
  createPyodideModule: async (settings) => {
    settings.preRun.push((module) => loadFirst(module, libraries));
    const [module] = await Promise.all([createModule(settings), libraries]);
    return module;
  },
});
writePackages(pyodide.FS, await readPackages(await open(manifest.packagesPath)));
pyodide.runPython(`
import ast, asyncio, collections, ctypes, dataclasses, datetime, functools, gc, hashlib, hmac, inspect, itertools, json
import importlib, logging, math, numbers, pathlib, pickle, platform, random, re, secrets, string, struct, sysconfig
import tempfile, textwrap, threading, time, traceback, types, typing, urllib.parse, warnings, weakref, zipfile
importlib.invalidate_caches()  # the packages came after Python's start
import jinja2, numpy, tabgrad.browser, tabgrad.browser_winners, tabgrad.devices.web
gc.collect()
`);
const handles = handlesOf(pyodide._module.LDSO, await libraries);
const memory = pyodide.makeMemorySnapshot();

const [headSize] = new Uint32Array(memory.buffer, memory.byteOffset + HEAD_SIZE_AT, 1);
const heap = memory.subarray(headSize);
const runs = [];
for (let start = 0; start < heap.length; start += PAGE) {
  const page = heap.subarray(start, start + PAGE);
  if (page.every((byte) => byte === 0)) continue;
  const last = runs.at(-1);
  if (last && last[0] + last[1] === start) last[1] += page.length;
  else runs.push([start, page.length]);
}
const header = Buffer.from(JSON.stringify({ size: heap.length, headSize, handles, runs }));
const parts = [
  new Uint8Array(Uint32Array.of(header.length).buffer),
  header,
  memory.subarray(0, headSize),
  ...runs.map(([start, length]) => heap.subarray(start, start + length)),
];
writeFileSync(target, gzipSync(Buffer.concat(parts), { level: 9 }));

/** The handle of each library; throws if Python has loaded another one. */
function handlesOf({ loadedLibsByHandle }, expected) {
  const paths = expected.map(({ path }) => path);
  const found = Object.entries(loadedLibsByHandle).filter(([handle]) => Number(handle) !== 0);
  const other = found.find(([, { name }]) => !paths.includes(name));
  if (other) throw new Error(`${other[1].name} is loaded by the imports; name it in bundle.py`);
  return paths.map((path) => {
    const of = found.find(([, { name }]) => name === path);
    if (!of) throw new Error(`${path} is not loaded by the imports; do not name it in bundle.py`);
    return Number(of[0]);
  });
}
