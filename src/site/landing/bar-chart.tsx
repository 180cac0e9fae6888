import { type FC, Markup } from "../jsx-runtime.ts";
import { chooseLabels } from "./axis-labels.ts";

/** A part of a bar. The parts are stacked from the bottom. */
interface Part {
  value: number;
  /** The class of its colour in the style sheet. */
  color: string;
}

/** A bar, or a gap between two bars that are not consecutive. */
export interface Bar {
  parts: Part[];
  /** What is written below the bar, if there is space. */
  name: string;
  /** What a browser shows for the bar under the pointer: dates and numbers, in which nothing needs to be escaped. */
  title: string;
}

interface BarChartProps {
  /** From left to right; undefined for a gap. */
  bars: (Bar | undefined)[];
  /** The value at the top of the chart. */
  top: number;
  /** Writes a value of the axis. */
  format: (value: number) => string;
  /** The ids of the elements that name the chart. */
  label: string;
}

/** The width of a bar and the space around it, in units of the drawing, whose height is 100. */
const SLOT = 10;

/** A few bars are narrow, so that they still look like bars. */
const FEW = 8;

/** The width that every chart has at least, and the width of a label with the space after it, in pixels. */
const LEAST_WIDTH = 200;
const LABEL_WIDTH = 78;

/**
 * A bar chart. The drawing is stretched to the size of its place, and the text beside it is not, so that the chart can be
 * read at every width and in print.
 */
export const BarChart: FC<BarChartProps> = ({ bars, top, format, label }) => {
  const width = SLOT * bars.length;
  return (
    <div class="plot" role="img" aria-labelledby={label}>
      <div class="values" aria-hidden="true">
        {[top, top / 2, 0].map((value) => (
          <span>{format(value)}</span>
        ))}
      </div>
      <svg viewBox={`0 0 ${width} 100`} preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d={`M0 0H${width}M0 50H${width}M0 100H${width}`} />
        {
          new Markup(
            bars
              .map((bar, index) => {
                const left = index * SLOT;
                if (!bar) return `<path class="gap" d="${hatch(left)}"></path>`;
                return drawBar(bar, left, top, bars.length < FEW ? 4 : 8);
              })
              .join(""),
          )
        }
      </svg>
      <svg class="names" aria-hidden="true">
        {chooseLabels(
          bars.map((bar) => bar?.name),
          Math.ceil((LABEL_WIDTH * bars.length) / LEAST_WIDTH),
        ).map((name, index) =>
          name === "" ? null : (
            <text x={`${round((100 * index) / bars.length)}%`} y="1em">
              {name}
            </text>
          ),
        )}
      </svg>
    </div>
  );
};

/** Writes a bar as text, because a page has hundreds of bars, and an element for each would take much longer. */
function drawBar({ parts, title }: Bar, left: number, top: number, width: number): string {
  let above = 100;
  const rectangles = parts.map(({ value, color }) => {
    const height = (100 * value) / top;
    above -= height;
    const place = `x="${left + (SLOT - width) / 2}" y="${round(above)}" width="${width}" height="${round(height)}"`;
    return height === 0 ? "" : `<rect class="${color}" ${place}></rect>`;
  });
  return `<g><title>${title}</title>${rectangles.join("")}</g>`;
}

/** Diagonal lines over the whole height of a slot. */
function hatch(left: number): string {
  const step = 10;
  return Array.from(
    { length: 100 / step },
    (_, line) => `M${left} ${(line + 1) * step}l${SLOT} -${step}`,
  ).join("");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
