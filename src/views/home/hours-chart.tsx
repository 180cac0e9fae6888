import type { FC } from "hono/jsx";
import type { Hour, Statistics } from "../../store/stored-statistics.ts";
import { formatCompact, formatMean } from "../text-format.ts";

const LINES = [
  ["weekdays", "Monday to Friday"],
  ["weekends", "Saturday and Sunday"],
] as const;

/**
 * A chart of the mean number of road users per record by hour of the day. The sentences below the chart state the highest and the
 * lowest hour of each line. If the style sheet is missing, only the text is visible.
 */
export const HoursChart: FC<Statistics["hours"]> = (hours) => {
  const getMean = ([records, roadUsers]: Hour) => (records === 0 ? null : roadUsers / records);
  const lines = LINES.map(([kind, name]) => ({ kind, name, means: hours[kind].map(getMean) }));
  const highest = Math.max(...lines.flatMap(({ means }) => means.map((mean) => mean ?? 0)));
  if (highest === 0) return <p>No road users were counted, so there is no chart by hour of the day.</p>;
  const top = getAxisMaximum(highest);
  return (
    <figure class="panel">
      <figcaption>
        <b>Road users per record, without failing cameras, by hour of the day in UTC</b>
      </figcaption>
      <div class="plot" aria-hidden="true">
        <AxisLabels labels={[top, top / 2, 0]} />
        <svg viewBox="0 0 24 100" preserveAspectRatio="none" width="0" height="0" aria-hidden="true">
          <path d="M0 0H24M0 50H24M0 100H24M6 0V100M12 0V100M18 0V100" />
          {lines.toReversed().map(({ kind, means }) => (
            <path class={kind} d={buildPath(means, top)} />
          ))}
        </svg>
        <AxisLabels labels={[0, 6, 12, 18, 24]} />
      </div>
      {lines.map((line) => (
        <p>
          <svg class="key" width="32" height="8" viewBox="0 0 32 8" aria-hidden="true">
            <path class={line.kind} d="M2 4H30" />
          </svg>{" "}
          {describeLine(line.name, line.means)}
        </p>
      ))}
    </figure>
  );
};

/** The maximums of the axis, divided by a power of ten. Each of them and its half have at most two digits. */
const AXIS_STEPS = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10];

/**
 * Finds an end of the axis above all values, so that no dot is half outside of the plot.
 * @param highest The highest value in the chart, above 0
 */
function getAxisMaximum(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(highest));
  return power * (AXIS_STEPS.find((step) => step * power > highest) ?? 10);
}

/** Builds a line through the middle of each hour. An hour without records has no mean, and is a gap. */
function buildPath(means: (number | null)[], top: number): string {
  const parts = means.map((mean, hour) => {
    if (mean === null) return "";
    const point = `${hour + 0.5} ${(100 - (100 * mean) / top).toFixed(1)}`;
    const isFirst = typeof means[hour - 1] !== "number";
    // A line of no length is a dot, so that an hour between two gaps is visible.
    return isFirst ? `M${point}h0` : `L${point}`;
  });
  return parts.join("");
}

const AxisLabels: FC<{ labels: number[] }> = ({ labels }) => (
  <div>
    {labels.map((label) => (
      <span data-label={label < 100 ? Number(label.toPrecision(3)) : formatCompact(label)} />
    ))}
  </div>
);

function describeLine(name: string, means: (number | null)[]): string {
  const hours = means.flatMap((mean, hour) => (mean === null ? [] : [{ mean, hour }]));
  const [highest, ...lower] = hours.sort((a, b) => b.mean - a.mean);
  const lowest = lower.at(-1);
  if (!highest) return `${name}: no records.`;
  if (!lowest) return `${name}: ${formatHour(highest)}. No other hour has records.`;
  if (formatMean(highest.mean) === formatMean(lowest.mean))
    return `${name}: ${formatMean(highest.mean)} in every hour that has records.`;
  return `${name}: highest ${formatHour(highest)}, lowest ${formatHour(lowest)}.`;
}

function formatHour({ mean, hour }: { mean: number; hour: number }): string {
  const format = (time: number) => `${String(time).padStart(2, "0")}:00`;
  return `${formatMean(mean)} (${format(hour)}–${format(hour + 1)} UTC)`;
}
