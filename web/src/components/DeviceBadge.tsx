import type { DeviceEvent } from "../protocol.ts";
import { device, startup } from "../state/startup.ts";

/** The name of the device that training uses. */
export function DeviceBadge() {
  const now = device.value;
  const missing = startup.value.kind === "broken" ? "no device" : "finding the GPU";
  return (
    <p class="device" data-kind={now?.kind ?? "none"}>
      <span class="device-dot" aria-hidden="true" />
      <span class="device-name">{now ? now.adapter : missing}</span>
      {now && <span class="device-kind">{kindOf(now)}</span>}
    </p>
  );
}

function kindOf({ device, kind }: DeviceEvent): string {
  if (device === "reference") return "on the CPU";
  return kind === "software" ? "WebGPU in software" : "WebGPU";
}
