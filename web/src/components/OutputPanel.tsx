import { useEffect, useRef } from "preact/hooks";
import { output } from "../state/run.ts";

/** What the script printed. */
export function OutputPanel() {
  const lines = output.value;
  const text = useRef<HTMLPreElement>(null);
  useEffect(() => text.current?.scrollTo({ top: text.current.scrollHeight }), [lines]);
  if (lines.length === 0) return null;
  return (
    <section class="output" aria-label="Output">
      <pre ref={text} tabIndex={0}>
        {lines.join("\n")}
      </pre>
    </section>
  );
}
