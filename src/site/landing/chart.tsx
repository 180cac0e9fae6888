import { GO_PATH } from "../about.ts";
import { type FC, Markup } from "../jsx-runtime.ts";
import { formatNumber } from "../number-format.ts";
import { formatPeriod, HEALTH, type Period, type Periods, type Segment, splitAtGaps } from "./periods.ts";

/**
 * The records of each day, month or year, stacked by `camera_ok`, so that gaps, outages and the time before `camera_ok` was
 * recorded are visible. The table beside it has the same figures.
 */
export const Chart: FC<Periods> = (periods) => {
  const segments = splitAtGaps(periods);
  return (
    <div class="chart">
      <figure class="panel">
        <figcaption>
          Records per {periods.unit}, by <code>camera_ok</code>. A bar leads to its records.
        </figcaption>
        <p class="row" aria-hidden="true">
          {HEALTH.map((health) => (
            <span class={`health health-${health}`}>{health === "null" ? "null: not recorded" : health}</span>
          ))}
        </p>
        <Plot {...periods} segments={segments} />
      </figure>
      <PeriodTable {...periods} segments={segments} />
    </div>
  );
};

interface PlotProps extends Periods {
  segments: Segment[];
}

/** The width of a gap, in bars. */
const GAP = 2;

/** With fewer bars than this, the bars do not become wider, so that they still look like bars. */
const FEW = 12;

/** A drawing that is stretched to the size of its place, with text above and below it, which is not. */
const Plot: FC<PlotProps> = ({ unit, periods, segments }) => {
  const top = Math.max(...periods.map(({ records }) => records));
  const slots = periods.length + GAP * (segments.length - 1);
  const width = 0.8 * Math.min(1, slots / FEW);
  const labels: Label[] = [];
  let markup = "";
  let left = 0;
  for (const segment of segments) {
    const end = left + segment.periods.length;
    markup += `<path class="axis" d="M${left} 100H${end}"></path>`;
    labels.push({ text: formatPeriod(segment, unit), start: left / slots, end: end / slots });
    for (const period of segment.periods) markup += drawBar(period, left++, width, top);
    left += GAP;
  }
  return (
    <div class="plot">
      <span aria-hidden="true">{formatNumber(top)}</span>
      <svg viewBox={`0 0 ${slots} 100`} preserveAspectRatio="none" aria-hidden="true">
        {new Markup(markup)}
      </svg>
      <svg class="labels" aria-hidden="true">
        {placeLabels(labels).map(({ text, x, anchor }) => (
          <text x={`${round(100 * x)}%`} y="1em" text-anchor={anchor}>
            {text}
          </text>
        ))}
      </svg>
    </div>
  );
};

/**
 * Writes a bar, and the area of its link, as text, because an element for each of hundreds of shapes would take much longer.
 * A keyboard reaches the same links in the table.
 */
function drawBar(period: Period, slot: number, width: number, top: number): string {
  const { first, last, records, camera_ok } = period;
  const x = slot + (1 - width) / 2;
  const figures = HEALTH.map((health) => `${health} ${formatNumber(camera_ok[health])}`).join(", ");
  const dates = first === last ? first : `${first} to ${last}`;
  let y = 100;
  const parts = HEALTH.map((health) => {
    const height = (100 * camera_ok[health]) / top;
    y -= height;
    const place = `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
    return height === 0 ? "" : `<rect class="health-${health}" ${place}></rect>`;
  });
  const area = `<path d="M${slot} 0h1V100h-1z"></path>`;
  const title = `<title>${dates}: ${formatNumber(records)} (${figures})</title>`;
  return `<a href="${GO_PATH}?date=${last}" tabindex="-1">${title}${area}${parts.join("")}</a>`;
}

/** The name of a segment, and where it is, as parts of the width of the drawing. */
interface Label {
  text: string;
  start: number;
  end: number;
}

/** The width of the drawing in a narrow window, and of a character, in pixels. */
const NARROW = 290;
const CHARACTER = 6.5;

/** Puts each label below the middle of its segment if all of them fit; otherwise only the first and the last, at the ends. */
function placeLabels(labels: Label[]) {
  if (labels.every(({ text, start, end }) => (end - start) * NARROW >= text.length * CHARACTER))
    return labels.map(({ text, start, end }) => ({ text, x: (start + end) / 2, anchor: "middle" }));
  return [
    { text: labels.at(0)?.text, x: 0, anchor: "start" },
    { text: labels.at(-1)?.text, x: 1, anchor: "end" },
  ];
}

const PeriodTable: FC<PlotProps> = ({ unit, segments }) => (
  <section class="scroll" aria-label={`Records per ${unit}`} tabindex={0}>
    <table id="periods">
      <thead>
        <tr>
          <th scope="col">{unit}</th>
          {["records", ...HEALTH].map((name) => (
            <th scope="col" class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      {segments.map((segment) => (
        <tbody>{new Markup(segment.periods.map((period) => writeRow(period, unit)).join(""))}</tbody>
      ))}
    </table>
  </section>
);

/** Writes a row as text, for the same reason as a bar. It contains only dates and numbers. */
function writeRow(period: Period, unit: Periods["unit"]): string {
  const figures = [period.records, ...HEALTH.map((health) => period.camera_ok[health])];
  const cells = figures.map((figure) => `<td class="number">${formatNumber(figure)}</td>`).join("");
  const name = formatPeriod({ first: period.first, last: period.first }, unit);
  return `<tr><th scope="row"><a href="${GO_PATH}?date=${period.last}">${name}</a></th>${cells}</tr>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
