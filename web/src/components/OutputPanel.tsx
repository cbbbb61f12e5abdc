import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { laidOut, missing, saveOutput, screen } from "../state/output.ts";
import type { Screen } from "../state/screen.ts";

const NEAR_END_PX = 24;

/** The script's output, newest last; it scrolls only while the newest line is in view. */
export function OutputPanel() {
  const { text } = screen.value;
  const follows = useSignal(true);
  const shown = useRef(screen.value);
  if (follows.value || text === "") shown.current = screen.value;
  if (text === "" && missing.value === "") return null;
  return (
    <section class="printed" aria-label="Output">
      {missing.value && (
        <header class="printed-head">
          <span class="muted">{missing.value}</span>
          <button type="button" class="link" onClick={saveOutput}>
            Save output
          </button>
        </header>
      )}
      <Lines shown={shown.current} onScroll={(atEnd) => (follows.value = atEnd)} />
    </section>
  );
}

/** Lays out its text at once, and reports how long that took. */
function Lines({ shown, onScroll }: { shown: Screen; onScroll: (atEnd: boolean) => void }) {
  const scroller = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    if (!scroller.current) return;
    const start = performance.now();
    const { scrollHeight } = scroller.current;
    if (atEnd.current) scroller.current.scrollTop = scrollHeight;
    laidOut(performance.now() - start);
  }, [shown]);
  return (
    <div class="output">
      <pre
        ref={scroller}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
          onScroll(atEnd.current);
        }}
      >
        {shown.text}
      </pre>
    </div>
  );
}
