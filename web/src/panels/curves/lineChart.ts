// The only module that draws curves, with uPlot in the page's colours.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Curve } from "./curves.ts";

export interface LineChartOptions {
  format: (value: number) => string;
  /** Upper end of the axis, if the quantity has one. */
  max?: number;
  /** Called with the index under the pointer, or null. */
  onHover: (index: number | null) => void;
  /** The canvas lost its contents (the GPU was reset) and must be drawn again. */
  onRestored: () => void;
}

/** The length of the axis, known before the curve is complete. */
export interface Extent {
  totalSteps: number;
  stepsPerEpoch: number;
}

/** 1, 2, 5, 10, … epochs between two labels. */
const EPOCH_INCREMENTS = Array.from({ length: 21 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));
const AXIS_FONT = "11px 'IBM Plex Sans', system-ui, sans-serif";

export class LineChart {
  #plot: uPlot;
  #observer: ResizeObserver;
  #extent: Extent = { totalSteps: 1, stepsPerEpoch: 1 };

  constructor(host: HTMLElement, options: LineChartOptions) {
    this.#plot = new uPlot(this.#describe(host, options), [[], [], []], host);
    this.#plot.ctx.canvas.addEventListener("contextrestored", options.onRestored);
    this.#observer = new ResizeObserver(() =>
      this.#plot.setSize({ width: host.clientWidth, height: host.clientHeight }),
    );
    this.#observer.observe(host);
  }

  draw({ steps, training, validation }: Curve, extent: Extent): void {
    this.#extent = extent;
    this.#plot.setData([steps, training, validation]);
  }

  destroy(): void {
    this.#observer.disconnect();
    this.#plot.destroy();
  }

  #describe(host: HTMLElement, { format, max, onHover }: LineChartOptions): uPlot.Options {
    const colour = (name: string) => getComputedStyle(host).getPropertyValue(name).trim();
    const axis: uPlot.Axis = {
      font: AXIS_FONT,
      stroke: colour("--chart-text"),
      grid: { stroke: colour("--chart-grid"), width: 1 },
      ticks: { show: false },
    };
    return {
      width: host.clientWidth,
      height: host.clientHeight,
      padding: [8, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
      scales: {
        x: { time: false, range: () => [0, Math.max(1, this.#extent.totalSteps)] },
        y: { range: (_, low, high) => verticalRange(low, high, max) },
      },
      axes: [
        {
          ...axis,
          label: "epoch",
          labelFont: AXIS_FONT,
          labelSize: 16,
          labelGap: 0,
          size: 24,
          space: 44,
          grid: { show: false },
          incrs: () => EPOCH_INCREMENTS.map((epochs) => epochs * this.#extent.stepsPerEpoch),
          values: (_, splits) => splits.map((step) => String(Math.round(step / this.#extent.stepsPerEpoch))),
        },
        { ...axis, size: 50, space: 40, values: (_, splits) => splits.map(format) },
      ],
      series: [
        {},
        { stroke: colour("--training"), width: 1.5, points: { show: false }, spanGaps: true },
        {
          stroke: colour("--validation"),
          width: 2,
          spanGaps: true,
          points: { size: 5, fill: colour("--validation"), show: (plot) => isSparse(plot.data[2]) },
        },
      ],
      hooks: { setCursor: [(plot) => onHover(plot.cursor.idx ?? null)] },
    };
  }
}

/** Whether there are few enough points to mark each of them. */
function isSparse(values: ArrayLike<number | null | undefined>): boolean {
  return Array.from(values).filter((value) => value !== null).length <= 40;
}

/** Includes 0 and all values; for a bounded quantity, from below the smallest value to the bound. */
function verticalRange(low: number | null, high: number | null, max: number | undefined): [number, number] {
  if (low === null || high === null) return [0, max ?? 1];
  if (max !== undefined && low >= 0 && high <= max) return [Math.max(0, low - (max - low) * 0.1), max];
  const margin = 0.05 * (Math.max(high, 0) - Math.min(low, 0));
  if (margin === 0) return [0, 1];
  return [low < 0 ? low - margin : 0, high > 0 ? high + margin : 0];
}
