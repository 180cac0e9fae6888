import type { FC } from "hono/jsx";
import { ROAD_USERS } from "../../records/road-users.ts";
import { formatNumber } from "../number-format.ts";
import { formatDays, PeriodTable } from "./period-table.tsx";
import { findGaps, HEALTH, type Periods } from "./periods.ts";

/**
 * Charts of the whole time: the camera health, and a small chart for each class of road users, because there are many more
 * cars than buses. A script (src/site/assets/scripts/chart.ts) draws the figures of the table, which is also there without
 * scripts and for screen readers.
 */
export const Chart: FC<Periods> = (grouped) => (
  <>
    <div class="charts">
      <section class="panel">
        <h3 id="counts-heading">Road users counted per day</h3>
        <p class="note">{describeBars(grouped)} Each class has its own scale.</p>
        <div class="classes">
          {ROAD_USERS.map((name) => (
            <figure>
              <figcaption id={`${name}-caption`}>{name}</figcaption>
              <Plot columns={[name]} label={`counts-heading ${name}-caption`} />
            </figure>
          ))}
        </div>
      </section>
      <figure class="panel">
        <figcaption id="health-caption">
          Camera health <span>in % of records</span>
        </figcaption>
        <Plot columns={HEALTH} label="health-caption" />
      </figure>
      <Gaps {...grouped} />
    </div>
    <PeriodTable {...grouped} />
  </>
);

/** @param label the ids of the elements that name the chart */
const Plot: FC<{ columns: readonly string[]; label: string }> = ({ columns, label }) => (
  <div class="plot">
    <canvas data-columns={columns.join(" ")} role="img" aria-labelledby={label} hidden />
  </div>
);

function describeBars({ period_days }: Periods): string {
  return period_days === 1
    ? "Each bar is one day in UTC."
    : `Each bar is the mean of ${formatNumber(period_days)} days and has the date of the first day.`;
}

/** How many gaps are listed. The table has all of them. */
const MOST_LISTED = 3;

const Gaps: FC<Periods> = (grouped) => {
  const gaps = findGaps(grouped);
  if (gaps.length === 0) return null;
  const listed = gaps.slice(0, MOST_LISTED).map(formatDays);
  const more = gaps.length - listed.length;
  return (
    <p class="note gaps">
      Hatched periods have no records: {listed.join("; ")}
      {more > 0 && `; and ${formatNumber(more)} more`}.
    </p>
  );
};
