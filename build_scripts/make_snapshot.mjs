// node make_snapshot.mjs RUNTIME_FOLDER LOCK_FILE TARGET
// Starts Python once, imports what NumPy, Jinja2 and tabgrad need of the standard library, and writes its memory to
// TARGET, so that the page begins where this ended. No package may be loaded: its wasm could not be restored.
//
// Most pages of the memory are zero, so TARGET is, compressed with gzip, little-endian:
//   u32 size of the snapshot in bytes, u32 number of runs, then (u32 offset, u32 length) a run, then the runs' bytes.
// web/python/snapshot.js reads it.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

// Python asks once, at its start, whether JavaScript can suspend it, and the snapshot keeps the answer. Where a browser
// cannot, can_run_sync() still says so; so the answer must be yes. From Node 24 it is; before, V8 needs a flag.
const SUSPENDING = "--experimental-wasm-stack-switching";
if (!("Suspending" in WebAssembly) && !process.execArgv.includes(SUSPENDING)) {
  const again = spawnSync(process.execPath, [SUSPENDING, ...process.argv.slice(1)], { stdio: "inherit" });
  process.exit(again.status ?? 1);
}

const PAGE = 4096;
const [runtime, lock, target] = process.argv.slice(2).map((path) => resolve(path));
const { loadPyodide } = await import(pathToFileURL(`${runtime}/pyodide.mjs`).href);
const pyodide = await loadPyodide({ indexURL: `${runtime}/`, lockFileURL: lock, _makeSnapshot: true });
pyodide.runPython(`
import ast, asyncio, collections, ctypes, dataclasses, datetime, functools, gc, hashlib, hmac, inspect, itertools, json
import logging, math, numbers, pathlib, pickle, platform, random, re, secrets, string, struct, sysconfig, tempfile
import textwrap, threading, time, traceback, types, typing, urllib.parse, warnings, weakref, zipfile
gc.collect()
`);
const memory = pyodide.makeMemorySnapshot();

const runs = [];
for (let start = 0; start < memory.length; start += PAGE) {
  const page = memory.subarray(start, start + PAGE);
  if (page.every((byte) => byte === 0)) continue;
  const last = runs.at(-1);
  if (last && last.start + last.length === start) last.length += page.length;
  else runs.push({ start, length: page.length });
}
const header = new Uint32Array([memory.length, runs.length, ...runs.flatMap(({ start, length }) => [start, length])]);
const parts = [new Uint8Array(header.buffer), ...runs.map(({ start, length }) => memory.subarray(start, start + length))];
writeFileSync(target, gzipSync(Buffer.concat(parts), { level: 9 }));
