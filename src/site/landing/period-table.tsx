import { ROAD_USERS } from "../../records/road-users.ts";
import { type FC, Markup } from "../jsx-runtime.ts";
import { formatMean, formatNumber, formatShare } from "../number-format.ts";
import { type Gap, HEALTH, type Period, type Periods, type PeriodsWithGaps } from "./periods.ts";

type Unit = Periods["unit"];

/** The figures of the charts as a table. */
export const PeriodTable: FC<PeriodsWithGaps> = (grouped) => (
  <details class="figures">
    <summary>The figures as a table</summary>
    <section class="scroll" aria-label="The figures of the charts" tabindex={0}>
      <table id="periods">
        <caption>
          Road users per {grouped.unit}
          {grouped.period_units > 1 && " (means of the days with records)"}, and camera health in % of
          records.
        </caption>
        <thead>
          <tr>
            <th scope="col">Period</th>
            {[`${grouped.unit}s`, "records", ...ROAD_USERS, ...HEALTH].map((name) => (
              <th scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {new Markup(grouped.periods.map((period, index) => writeRows(grouped, period, index)).join(""))}
        </tbody>
      </table>
    </section>
  </details>
);

/**
 * Writes the row of a period, and of the gap before it, to which the charts give a place as well. It is text, because an
 * element for each of hundreds of cells would take much longer. It contains only dates and numbers.
 */
function writeRows(grouped: PeriodsWithGaps, period: Period, index: number): string {
  const { first, last, units, records, totals, camera_ok } = period;
  const gap = grouped.gaps[index];
  const span = 2 + ROAD_USERS.length + HEALTH.length;
  const figures = [
    formatNumber(units),
    formatNumber(records),
    ...ROAD_USERS.map((name) => formatMean(totals[name], units)),
    ...HEALTH.map((name) => formatShare(camera_ok[name], records)),
  ];
  const cells = figures.map((figure) => `<td class="number">${figure}</td>`).join("");
  const before = gap
    ? `<tr class="quiet">${writeHeading(gap, grouped.unit)}<td colspan="${span}">no records</td></tr>`
    : "";
  return `${before}<tr>${writeHeading({ first, last }, grouped.unit)}${cells}</tr>`;
}

function writeHeading(period: Gap, unit: Unit): string {
  return `<th scope="row">${formatPeriod(period, unit)}</th>`;
}

/** The name of consecutive days or hours, such as `2025-11-02` or `2025-11-02 14:00 to 16:59`. */
export function formatPeriod({ first, last }: Gap, unit: Unit): string {
  if (unit === "day") return first === last ? first : `${first} to ${last}`;
  const [firstDay, firstHour] = first.split("T");
  const [lastDay, lastHour] = last.split("T");
  const end = firstDay === lastDay ? `${lastHour}:59` : `${lastDay} ${lastHour}:59`;
  return `${firstDay} ${firstHour}:00 to ${end}`;
}
