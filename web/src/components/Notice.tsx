import { device } from "../state/startup.ts";

/** A sentence that says why training is not on the GPU, if it is not. */
export function Notice() {
  const now = device.value;
  if (now?.device !== "reference") return null;
  const because = now.reason ? `, because ${now.reason}` : "";
  return (
    <p class="notice" role="note">
      Training runs on the CPU with NumPy{because}. The results are the same; it is slower.
    </p>
  );
}
