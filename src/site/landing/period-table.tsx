import type { FC } from "hono/jsx";
import { ROAD_USERS } from "../../records/road-users.ts";
import { formatMean, formatNumber, formatShare } from "../number-format.ts";
import { findGap, type Gap, HEALTH, type Period, type Periods } from "./periods.ts";

type Unit = Periods["unit"];

/** The figures of the charts as a table. */
export const PeriodTable: FC<Periods> = (grouped) => (
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
          {grouped.periods.map((period, index) => (
            <>
              <GapRow gap={findGap(grouped, index)} unit={grouped.unit} />
              <PeriodRow {...period} unit={grouped.unit} />
            </>
          ))}
        </tbody>
      </table>
    </section>
  </details>
);

/** A gap between two periods, to which the charts give a place as well. */
const GapRow: FC<{ gap: Gap | undefined; unit: Unit }> = ({ gap, unit }) =>
  gap ? (
    <tr class="quiet">
      <th scope="row">{formatPeriod(gap, unit)}</th>
      <td colspan={2 + ROAD_USERS.length + HEALTH.length}>no records</td>
    </tr>
  ) : null;

const PeriodRow: FC<Period & { unit: Unit }> = ({ first, last, unit, units, records, totals, camera_ok }) => (
  <tr>
    <th scope="row">{formatPeriod({ first, last }, unit)}</th>
    <td class="number">{formatNumber(units)}</td>
    <td class="number">{formatNumber(records)}</td>
    {ROAD_USERS.map((name) => (
      <td class="number">{formatMean(totals[name], units)}</td>
    ))}
    {HEALTH.map((name) => (
      <td class="number">{formatShare(camera_ok[name], records)}</td>
    ))}
  </tr>
);

/** The name of consecutive days or hours, such as `2025-11-02` or `2025-11-02 14:00 to 16:59`. */
export function formatPeriod({ first, last }: Gap, unit: Unit): string {
  if (unit === "day") return first === last ? first : `${first} to ${last}`;
  const [firstDay, firstHour] = first.split("T");
  const [lastDay, lastHour] = last.split("T");
  const end = firstDay === lastDay ? `${lastHour}:59` : `${lastDay} ${lastHour}:59`;
  return `${firstDay} ${firstHour}:00 to ${end}`;
}
