// Edited scripts, each stored in the browser's storage under its example's name.

import { signal } from "@preact/signals";

const PREFIX = "tabgrad.script.";
const NEWEST = "tabgrad.script";

/** An edit is stored after this time without another one; a killed page loses newer edits. */
const WRITE_AFTER_MS = 250;

/** The storage holds about five million characters for the whole site. */
const MOST_CHARACTERS = 1_000_000;

/** Why edits will be lost at a reload, as a sentence; empty if they are stored. */
export const notKept = signal("");

/** Edited in this tab and not yet stored; null if the edits were undone. Other tabs' edits are never stored here. */
const waiting = new Map<string, string | null>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** The stored text of an example's script; null if it is unchanged. */
export function readDraft(id: string): string | null {
  try {
    return localStorage.getItem(PREFIX + id);
  } catch {
    return null; // reported at the first edit
  }
}

/** The example that was edited last. */
export function newestDraft(): string | null {
  try {
    return localStorage.getItem(NEWEST);
  } catch {
    return null;
  }
}

/** Stores a script that was edited in this tab; null deletes it. */
export function keepDraft(id: string, text: string | null): void {
  waiting.set(id, text);
  clearTimeout(timer);
  timer = setTimeout(write, WRITE_AFTER_MS);
}

/** Stores edits before the page closes; calls `changed` for another tab's edit of a script not edited in this tab. */
export function watchDrafts(changed: (id: string, text: string | null) => void): void {
  addEventListener("pagehide", write);
  document.addEventListener("visibilitychange", write);
  addEventListener("storage", ({ key, newValue }) => {
    const id = key?.startsWith(PREFIX) ? key.slice(PREFIX.length) : null;
    if (id !== null) changed(id, newValue);
  });
}

function write(): void {
  clearTimeout(timer);
  const problems = [...waiting].map(([id, text]) => store(id, text)).filter(Boolean);
  if (waiting.size > 0) notKept.value = problems[0] ?? "";
  waiting.clear();
}

/** Returns why the text could not be stored, if so; the stored text is then unchanged. */
function store(id: string, text: string | null): string {
  const consequence = "the newest edits will be gone when it is closed or reloaded; copy the script to keep it.";
  if (text !== null && text.length > MOST_CHARACTERS) {
    return `This page keeps no scripts of over a million characters: ${consequence}`;
  }
  try {
    if (text !== null) {
      localStorage.setItem(PREFIX + id, text);
      localStorage.setItem(NEWEST, id);
    } else {
      localStorage.removeItem(PREFIX + id);
      if (localStorage.getItem(NEWEST) === id) localStorage.removeItem(NEWEST);
    }
    return "";
  } catch {
    return `This browser stores nothing for this page, or has no room: ${consequence}`;
  }
}
