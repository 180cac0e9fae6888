import type { Plugin } from "chart.js";
import { readColor } from "./theme-colors.ts";

/** The distance between the lines in pixels. */
const STEP = 6;

/**
 * Creates a plugin that hatches gaps over the whole height of a chart, so that the bars on both sides do not seem to be
 * consecutive.
 * @param days the first day of each bar; undefined for a gap
 */
export function hatchGaps(days: (string | undefined)[]): Plugin<"bar"> {
  return {
    id: "gaps",
    beforeDatasetsDraw({ ctx, chartArea, scales: { x } }) {
      if (!x) return;
      const { top, bottom, left, width } = chartArea;
      const slot = width / days.length;
      ctx.save();
      ctx.strokeStyle = readColor("hatch");
      for (const [index, day] of days.entries()) {
        if (day !== undefined) continue;
        ctx.save();
        ctx.beginPath();
        ctx.rect(left + index * slot, top, slot, bottom - top);
        ctx.clip();
        ctx.beginPath();
        for (
          let from = left + index * slot - (bottom - top);
          from < left + (index + 1) * slot;
          from += STEP
        ) {
          ctx.moveTo(from, bottom);
          ctx.lineTo(from + (bottom - top), top);
        }
        ctx.stroke();
        ctx.restore();
      }
      ctx.restore();
    },
  };
}
