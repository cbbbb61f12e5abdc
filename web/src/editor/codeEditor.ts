// CodeMirror for Python, loaded after the page; a textarea is shown until then.

import { indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { minimalSetup } from "codemirror";

export interface CodeEditorOptions {
  parent: HTMLElement;
  text: string;
  label: string;
  onChange: (text: string) => void;
}

const markLineEffect = StateEffect.define<number | null>();
const errorLine = Decoration.line({ class: "cm-error-line" });

/** The marked line; an edit removes the mark, because line numbers may change. */
const markedLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(markLineEffect)) return decorate(transaction.state, effect.value);
    }
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorate(state: EditorState, line: number | null): DecorationSet {
  if (line === null || line < 1 || line > state.doc.lines) return Decoration.none;
  const mark: Range<Decoration> = errorLine.range(state.doc.line(line).from);
  return Decoration.set([mark]);
}

export class CodeEditor {
  #view: EditorView;

  constructor({ parent, text, label, onChange }: CodeEditorOptions) {
    this.#view = new EditorView({
      parent,
      doc: text,
      extensions: [
        lineNumbers(),
        minimalSetup,
        python(),
        indentUnit.of("    "),
        indentOnInput(),
        bracketMatching(),
        syntaxHighlighting(classHighlighter),
        keymap.of([indentWithTab]),
        markedLine,
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    });
  }

  setText(text: string): void {
    const { doc } = this.#view.state;
    if (doc.toString() === text) return;
    this.#view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
  }

  /** Marks a line, counted from 1, and brings it into view; null unmarks. */
  markLine(line: number | null): void {
    const effects: StateEffect<unknown>[] = [markLineEffect.of(line)];
    const { doc } = this.#view.state;
    if (line !== null && line >= 1 && line <= doc.lines) {
      effects.push(EditorView.scrollIntoView(doc.line(line).from, { y: "nearest", yMargin: 40 }));
    }
    this.#view.dispatch({ effects });
  }

  /** Takes over the cursor from the textarea. */
  focus(cursor: number): void {
    this.#view.dispatch({ selection: { anchor: Math.min(cursor, this.#view.state.doc.length) } });
    this.#view.focus();
  }

  destroy(): void {
    this.#view.destroy();
  }
}
