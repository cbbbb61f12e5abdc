import { describeUncaught } from "../../python/uncaught.js";

/**
 * Reports uncaught errors of a script's timers and promises. The worker continues.
 * @param tell gets a sentence, if `wanted` returns true
 */
export function watchErrors(wanted: () => boolean, tell: (sentence: string) => void): void {
  const take = (event: Event, error: unknown) => {
    event.preventDefault(); // the page would treat it as a worker that failed to load
    if (wanted()) tell(describeUncaught(error));
  };
  self.addEventListener("error", (event) => take(event, event.error ?? event.message));
  self.addEventListener("unhandledrejection", (event) => take(event, event.reason));
}
