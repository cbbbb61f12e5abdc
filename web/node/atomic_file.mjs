// Files that are replaced as a whole, as tabgrad/atomic_file.py does it in Python; for caches and reports, so without
// waiting for the disk. Node has no file locks: a leftover is known by the process that its name tells.

import fs from "node:fs";
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import path from "node:path";

const HOST = hostname().replaceAll(/\W/g, "");
const LEFTOVER = /^\.tabgrad-(\w*)-(\d+)-[0-9a-f]{16}\.part$/;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Write all of a text, or nothing, and then the file that was there stays. Links are followed; a file that is replaced
 * passes on its mode, and its owner where the system permits.
 * @param {string} file
 * @param {string} text
 * @param {string} caller whom an error message names
 * @throws {Error} something other than a file is there, or the system refuses: one sentence
 */
export function writeAtomically(file, text, caller) {
  try {
    const before = fs.statSync(file, { throwIfNoEntry: false });
    if (before && !before.isFile()) throw new Error(`${kindOf(before)}, which is no regular file`);
    if (before) fs.accessSync(file, fs.constants.W_OK);
    const target = before ? fs.realpathSync(file) : behindLinks(file);
    const folder = path.dirname(target);
    removeLeftovers(folder);
    replace(target, folder, before, text);
  } catch (error) {
    throw new Error(`${caller}: expected to write ${file}, got: ${reason(error)}`, { cause: error });
  }
}

/**
 * @param {string} target
 * @param {string} folder
 * @param {fs.Stats | undefined} before
 * @param {string} text
 */
function replace(target, folder, before, text) {
  const name = `.tabgrad-${HOST}-${process.pid}-${randomBytes(8).toString("hex")}.part`;
  const scratch = path.join(folder, name);
  try {
    fs.writeFileSync(scratch, text, { flag: "wx", mode: before ? 0o600 : 0o666 });
    if (before) passOn(before, scratch);
    fs.renameSync(scratch, target);
  } catch (error) {
    fs.rmSync(scratch, { force: true });
    throw error;
  }
}

/** @param {fs.Stats} before @param {string} scratch */
function passOn(before, scratch) {
  const now = fs.statSync(scratch);
  try {
    if (now.uid !== before.uid || now.gid !== before.gid) fs.chownSync(scratch, before.uid, before.gid);
  } catch {
    // it becomes the writer's
  }
  fs.chmodSync(scratch, before.mode & 0o7777);
}

/** The file that a name, whose file is not there yet, leads to. @param {string} file */
function behindLinks(file) {
  let target = file;
  while (fs.lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) {
    target = path.resolve(path.dirname(target), fs.readlinkSync(target));
  }
  return target;
}

/** Remove what killed processes left in a folder. @param {string} folder */
function removeLeftovers(folder) {
  for (const name of fs.readdirSync(folder)) {
    const found = LEFTOVER.exec(name);
    if (!found) continue;
    try {
      const leftover = path.join(folder, name);
      const age = Date.now() - fs.lstatSync(leftover).mtimeMs;
      const ended = found[1] === HOST && age > MINUTE_MS && !isAlive(Number(found[2]));
      if (ended || age > DAY_MS) fs.unlinkSync(leftover);
    } catch {
      // another process was faster, or it is another user's
    }
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

/** @param {fs.Stats} found */
function kindOf(found) {
  if (found.isDirectory()) return "a folder";
  if (found.isFIFO()) return "a FIFO or pipe";
  return found.isSocket() ? "a socket" : "a device";
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code;
}

/** @param {unknown} error */
function reason(error) {
  const code = codeOf(error);
  if (code === "ENOENT") return "its folder does not exist; create the folder first";
  if (code === "ENOSPC" || code === "EFBIG" || code === "EDQUOT") return "the disk is full; free some space, nothing was changed";
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return "permission denied; name a file that you may write";
  return `${error instanceof Error ? error.message : error}; name another file`;
}
