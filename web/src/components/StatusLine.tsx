import { startPython } from "../engine/engine.ts";
import { startup } from "../state/startup.ts";
import { status } from "../state/status.ts";

/** The current activity, its progress, and the time left. */
export function StatusLine() {
  const { label, detail, progress, tone } = status.value;
  const percent = progress === null ? undefined : Math.round(100 * progress);
  return (
    <div class="status" data-tone={tone}>
      <div class="status-text">
        <span class="status-label" role="status">
          {label}
        </span>
        <span class="status-detail number">{detail}</span>
      </div>
      <div
        class="progress"
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        data-unknown={progress === null}
      >
        <div class="progress-fill" style={{ transform: `scaleX(${progress ?? 1})` }} />
      </div>
      {startup.value.kind === "broken" && (
        <p class="status-problem">
          {startup.value.message}{" "}
          <button type="button" class="link" onClick={startPython}>
            Try again
          </button>
        </p>
      )}
    </div>
  );
}
