import { describeUncaught } from "../../python/uncaught.js";

/**
 * Hands on errors that nothing caught: of timers and promises that a script made. The worker goes on.
 * @param tell gets a sentence; whether it wants it decides `wanted`
 */
export function watchErrors(wanted: () => boolean, tell: (sentence: string) => void): void {
  const take = (event: Event, error: unknown) => {
    event.preventDefault(); // the page would take it for a worker that could not be loaded
    if (wanted()) tell(describeUncaught(error));
  };
  self.addEventListener("error", (event) => take(event, event.error ?? event.message));
  self.addEventListener("unhandledrejection", (event) => take(event, event.reason));
}
