// Feeds a long run to the page's curves, as the page does, and prints what they hold.

const { createServer } = await import("../../web/node_modules/vite/dist/node/index.js");
const server = await createServer({
  configFile: false,
  root: new URL("../../web", import.meta.url).pathname,
  server: { middlewareMode: true, hmr: false, watch: null },
  appType: "custom",
  optimizeDeps: { noDiscovery: true },
  logLevel: "error",
});
const { addTrainingPoints, addValidationPoint, clearCurves, curveOf, MOST_POINTS } = await server.ssrLoadModule(
  "/src/panels/curves/curves.ts",
);

const REPORT = 250; // steps

function run(steps, validations) {
  clearCurves();
  let most = 0;
  for (let step = 1; step <= steps; step += REPORT) {
    const points = Array.from({ length: REPORT }, (_, i) => ({ step: step + i, epoch: 0, loss: 1 / (step + i) }));
    addTrainingPoints(points);
    const last = step + REPORT - 1;
    if (validations > 0 && last % (steps / validations) === 0) {
      addValidationPoint({ type: "validation", step: last, epoch: 1, loss: 2, metrics: {} });
    }
    most = Math.max(most, curveOf("loss").steps.length);
  }
  const { steps: kept, training, validation } = curveOf("loss");
  return { most, steps: kept, training, validated: validation.filter((value) => value !== null).length };
}

const short = run(1000, 0);
const long = run(300_000, 10);
const often = run(300_000, 1200);
console.log(JSON.stringify({ MOST_POINTS, short, long, often }));
await server.close();
