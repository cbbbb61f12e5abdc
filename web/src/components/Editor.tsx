import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { CodeEditor } from "../editor/codeEditor.ts";
import { failure } from "../state/run.ts";
import { editSource, source } from "../state/script.ts";

const LABEL = "Training script, Python. Press Escape, then Tab to leave the editor.";

/** The script: first a textarea, then a code editor when it is loaded. */
export function Editor() {
  const host = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<CodeEditor | null>(null);
  const loaded = useSignal(false);
  const text = source.value;
  const line = failure.value?.line ?? null;

  useEffect(() => {
    let gone = false;
    const cancel = whenIdle(async () => {
      const { CodeEditor } = await import("../editor/codeEditor.ts");
      await nextTask(); // loading and building are separate tasks, to keep each short
      if (gone || !host.current) return;
      const cursor = document.activeElement === plain.current ? plain.current?.selectionStart : undefined;
      editor.current = new CodeEditor({
        parent: host.current,
        text: source.peek(),
        label: LABEL,
        onChange: editSource,
      });
      loaded.value = true;
      if (cursor !== undefined) editor.current.focus(cursor);
    });
    return () => {
      gone = true;
      cancel();
      editor.current?.destroy();
    };
  }, []);

  // The newest text, not this rendering's: the visitor may have typed since.
  useEffect(() => editor.current?.setText(source.peek()), [text]);
  useEffect(() => editor.current?.markLine(line), [line, loaded.value]);

  return (
    <div class="editor" ref={host}>
      {!loaded.value && (
        <textarea
          ref={plain}
          class="editor-plain"
          aria-label={LABEL}
          spellcheck={false}
          autocomplete="off"
          wrap="off"
          value={text}
          onInput={(event) => editSource(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

/** Safari has no requestIdleCallback. */
function whenIdle(callback: () => void): () => void {
  if ("requestIdleCallback" in window) {
    const handle = requestIdleCallback(callback, { timeout: 1500 });
    return () => cancelIdleCallback(handle);
  }
  const timer = setTimeout(callback, 200);
  return () => clearTimeout(timer);
}

const nextTask = () => new Promise((resolve) => setTimeout(resolve));
