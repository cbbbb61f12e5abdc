import { failure } from "../state/run.ts";

/** The script's error. */
export function ErrorPanel() {
  const error = failure.value;
  if (!error) return null;
  return (
    <section class="error" role="alert">
      <p class="error-message">
        {error.line && <strong class="error-where">Line {error.line}: </strong>}
        {error.message}
      </p>
      {error.traceback && (
        <details open>
          <summary>Traceback</summary>
          <pre class="traceback" tabIndex={0}>
            {error.traceback}
          </pre>
        </details>
      )}
    </section>
  );
}
