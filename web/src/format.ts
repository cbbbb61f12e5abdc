// Numbers as text.

const MINUTE = 60;
const HOUR = 3600;

/** `0.04213`, `12.35`, `1.2e-5`: four significant digits. */
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(2);
  return value.toPrecision(4);
}

/** `97.50 %` */
export function formatPercent(fraction: number, digits = 2): string {
  return `${(100 * fraction).toFixed(digits)} %`;
}

/** `12 s`, `3 min 05 s`, `1 h 02 min` */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const pad = (n: number) => String(n).padStart(2, "0");
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min ${pad(whole % MINUTE)} s`;
  return `${Math.floor(whole / HOUR)} h ${pad(Math.floor((whole % HOUR) / MINUTE))} min`;
}

/** `4.83 ms`, `143 ms`, `1.20 s` */
export function formatMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return `${ms >= 100 ? ms.toFixed(0) : ms.toPrecision(3)} ms`;
}

/** `4.8 µs`, `143 µs`, `4.83 ms` */
export function formatUs(us: number): string {
  if (us >= 1000) return formatMs(us / 1000);
  return `${us.toFixed(us >= 100 ? 0 : 1)} µs`;
}

/** `1,437` */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString("en");
}

/** `18.5 MB`, `29 kB` */
export function formatBytes(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** A learning rate as one types it: `0.002`, `1e-5`. */
export function formatRate(rate: number): string {
  const rounded = Number(rate.toPrecision(3));
  return rounded < 1e-4 ? rounded.toExponential().replace(/\.0+e/, "e") : String(rounded);
}
