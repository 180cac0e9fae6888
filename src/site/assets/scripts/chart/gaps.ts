import type { Plugin } from "chart.js";
import { readColor } from "./colors.ts";

/** How far the strokes are apart, in pixels. */
const STEP = 6;

/**
 * Hatches the places of gaps over the whole height, so that what stands beside one is not taken for its neighbour in time.
 * @param days undefined where there is a gap
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
