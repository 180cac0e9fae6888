import { ROAD_USERS, type RoadUser } from "../../records/road-users.ts";
import type { FC } from "../jsx-runtime.ts";
import { formatMean, formatNumber, formatShare, formatShort, roundUp } from "../number-format.ts";
import { type Bar, BarChart } from "./bar-chart.tsx";
import { formatPeriod, PeriodTable } from "./period-table.tsx";
import { findGaps, HEALTH, type Period, type Periods, type PeriodsWithGaps } from "./periods.ts";

/**
 * Charts of the whole time: a small chart for each class of road users, because there are many more cars than buses, and
 * the camera health. The table has the same figures.
 */
export const Chart: FC<Periods> = (periods) => {
  const grouped = { ...periods, gaps: findGaps(periods) };
  return (
    <>
      <div class="charts">
        <section class="panel">
          <h3 id="counts-heading">Road users counted per {grouped.unit}</h3>
          <p class="note">{describeBars(grouped)} Each class has its own scale.</p>
          <div class="classes">
            {ROAD_USERS.map((name) => (
              <figure>
                <figcaption id={`${name}-caption`}>{name}</figcaption>
                <CountChart {...grouped} name={name} />
              </figure>
            ))}
          </div>
        </section>
        <figure class="panel">
          <figcaption id="health-caption">
            Camera health <span>in % of records</span>
          </figcaption>
          <HealthChart {...grouped} />
        </figure>
        <Gaps {...grouped} />
      </div>
      <PeriodTable {...grouped} />
    </>
  );
};

const CountChart: FC<PeriodsWithGaps & { name: RoadUser }> = ({ name, ...grouped }) => (
  <BarChart
    bars={drawPeriods(grouped, ({ totals, units }) => ({
      parts: [{ value: totals[name] / units, color: "bar" }],
      title: formatMean(totals[name], units),
    }))}
    top={roundUp(Math.max(...grouped.periods.map(({ totals, units }) => totals[name] / units)))}
    format={formatShort}
    label={`counts-heading ${name}-caption`}
  />
);

const HealthChart: FC<PeriodsWithGaps> = (grouped) => (
  <>
    <BarChart
      bars={drawPeriods(grouped, ({ camera_ok, records }) => ({
        parts: HEALTH.map((health) => ({ value: camera_ok[health] / records, color: `bar-${health}` })),
        title: HEALTH.map((health) => `${health} ${formatShare(camera_ok[health], records)}`).join(", "),
      }))}
      top={1}
      format={(value) => `${100 * value} %`}
      label="health-caption"
    />
    <ul class="legend">
      {HEALTH.map((health) => (
        <li>
          <svg aria-hidden="true">
            <rect class={`bar-${health}`} width="100%" height="100%" />
          </svg>
          {health}
        </li>
      ))}
    </ul>
  </>
);

/** @param draw gives the parts of the bar of a period, and its figures in words */
function drawPeriods(
  grouped: PeriodsWithGaps,
  draw: (period: Period) => Pick<Bar, "parts" | "title">,
): (Bar | undefined)[] {
  return grouped.periods.flatMap((period, index) => {
    const { parts, title } = draw(period);
    const name = period.first.replace("T", " ").padEnd(grouped.unit === "hour" ? 16 : 0, ":00");
    const bar = { parts, name, title: `${formatPeriod(period, grouped.unit)}: ${title}` };
    return grouped.gaps[index] ? [undefined, bar] : [bar];
  });
}

function describeBars({ unit, period_units }: Periods): string {
  return period_units === 1
    ? `Each bar is one ${unit} in UTC.`
    : `Each bar is the mean of ${formatNumber(period_units)} days and has the date of the first day.`;
}

/** How many gaps are listed. The table has all of them. */
const MOST_LISTED = 3;

const Gaps: FC<PeriodsWithGaps> = ({ gaps: all, unit }) => {
  const gaps = all.filter((gap) => gap !== undefined);
  if (gaps.length === 0) return null;
  const listed = gaps.slice(0, MOST_LISTED).map((gap) => formatPeriod(gap, unit));
  const more = gaps.length - listed.length;
  return (
    <p class="note gaps">
      Hatched periods have no records: {listed.join("; ")}
      {more > 0 && `; and ${formatNumber(more)} more`}.
    </p>
  );
};
