import type { FC } from "hono/jsx";
import { ROAD_USERS } from "../../records/road-users.ts";
import { HEALTH } from "../health.ts";
import { formatNumber } from "../number.ts";
import { nameDays, PeriodTable } from "./period-table.tsx";
import { findGaps, type Periods } from "./periods.ts";

/**
 * The counts over the whole time, a small chart for each class, since there are a thousand cars for a bus, and the camera
 * health beside them. The figures are a table, which src/site/assets/scripts/chart.ts draws; without it, and for those who
 * cannot see a picture, the table is there all the same.
 */
export const Chart: FC<Periods> = (cut) => (
  <>
    <div class="charts">
      <section class="panel">
        <h3 id="counts-heading">Road users counted per day</h3>
        <p class="note">{describeBars(cut)} Each class has its own scale.</p>
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
      <Gaps {...cut} />
    </div>
    <PeriodTable {...cut} />
  </>
);

/** @param label ids of what names it */
const Plot: FC<{ columns: readonly string[]; label: string }> = ({ columns, label }) => (
  <div class="plot">
    <canvas data-columns={columns.join(" ")} role="img" aria-labelledby={label} hidden />
  </div>
);

function describeBars({ period_days }: Periods): string {
  return period_days === 1
    ? "Each bar is a day, in UTC."
    : `Each bar is the mean of ${formatNumber(period_days)} days, and named by the first of them.`;
}

/** How many gaps are named; the table has all of them. */
const MOST_NAMED = 3;

const Gaps: FC<Periods> = (cut) => {
  const gaps = findGaps(cut);
  if (gaps.length === 0) return null;
  const named = gaps.slice(0, MOST_NAMED).map(nameDays);
  const more = gaps.length - named.length;
  return (
    <p class="note gaps">
      Hatched, without records: {named.join("; ")}
      {more > 0 && `; and ${formatNumber(more)} more`}.
    </p>
  );
};
