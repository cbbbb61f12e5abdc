/** Builds the page into build/page; build_scripts/website.py adds the Pyodide bundle and the examples. */
import { defineConfig } from "vite";

export default defineConfig({
  base: "./", // the site works from any folder of any static host
  publicDir: "public",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "es" },
  build: {
    outDir: "../build/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    sourcemap: true,
    chunkSizeWarningLimit: 700,
  },
});
