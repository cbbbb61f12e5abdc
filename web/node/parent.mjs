// The program that started this one, if it asked to be followed to its end.

const VARIABLE = "TABGRAD_PARENT";
const EVERY_MS = 1000;

/** What to add to a child's environment, so that it ends with this process. */
export function asParent() {
  return { [VARIABLE]: String(process.pid) };
}

/** Ends this process, as SIGTERM does, once the one that started it has gone: nothing tells of a parent's SIGKILL. */
export function endWithParent() {
  const parent = Number(process.env[VARIABLE]);
  delete process.env[VARIABLE];
  if (!parent || process.platform === "win32") return;
  const check = () => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
  };
  check();
  setInterval(check, EVERY_MS).unref();
}
