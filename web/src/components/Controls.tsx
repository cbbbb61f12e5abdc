import { control, forceStop, stop, train } from "../engine/engine.ts";
import { activity, busy, stuck } from "../state/run.ts";

/** Train, pause, resume, single step, stop. */
export function Controls() {
  return (
    <div class="buttons" role="group" aria-label="Training controls">
      <PrimaryButton />
      <button
        type="button"
        class="button"
        disabled={activity.value !== "paused"}
        onClick={() => control({ type: "step" })}
      >
        Step
      </button>
      <StopButton />
    </div>
  );
}

function PrimaryButton() {
  switch (activity.value) {
    case "running":
      return <Primary label="Pause" onClick={() => control({ type: "pause" })} />;
    case "paused":
      return <Primary label="Resume" onClick={() => control({ type: "resume" })} />;
    case "idle":
      return <Primary label="Train" onClick={train} />;
    default:
      return <Primary label="Pause" disabled />;
  }
}

interface PrimaryProps {
  label: string;
  disabled?: boolean;
  onClick?: () => void;
}

/** One element for all labels, so that it keeps the keyboard's focus. */
function Primary({ label, disabled, onClick }: PrimaryProps) {
  return (
    <button
      type="button"
      class="button button-primary"
      aria-disabled={disabled}
      aria-keyshortcuts="Control+Enter Meta+Enter"
      onClick={disabled ? undefined : onClick}
    >
      {label}
    </button>
  );
}

function StopButton() {
  if (stuck.value) {
    return (
      <button type="button" class="button button-danger" onClick={forceStop} title="Ends and restarts Python">
        Force stop
      </button>
    );
  }
  return (
    <button type="button" class="button" disabled={!busy.value || activity.value === "stopping"} onClick={stop}>
      Stop
    </button>
  );
}
