import type { FC } from "hono/jsx";
import { ROAD_USERS } from "../../records/road-users.ts";
import { formatMean, formatNumber, formatShare } from "../number-format.ts";
import { findGap, type Gap, HEALTH, type Period, type Periods } from "./periods.ts";

/** The figures of the charts as a table, from which the script draws them. */
export const PeriodTable: FC<Periods> = (grouped) => (
  <details class="figures">
    <summary>The figures as a table</summary>
    <section class="scroll" aria-label="The figures of the charts" tabindex={0}>
      <table id="periods">
        <caption>
          Road users per day{grouped.period_days > 1 && " (means of the days with records)"}, and camera
          health in % of records.
        </caption>
        <thead>
          <tr>
            <th scope="col">Period</th>
            {["days", "records", ...ROAD_USERS, ...HEALTH].map((name) => (
              <th scope="col" class="number" data-column={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {grouped.periods.map((period, index) => (
            <>
              <GapRow gap={findGap(grouped, index)} />
              <PeriodRow {...period} />
            </>
          ))}
        </tbody>
      </table>
    </section>
  </details>
);

/** A gap between two periods, to which the charts give a place as well. */
const GapRow: FC<{ gap: Gap | undefined }> = ({ gap }) =>
  gap ? (
    <tr class="quiet">
      <th scope="row">{formatDays(gap)}</th>
      <td colspan={2 + ROAD_USERS.length + HEALTH.length}>no records</td>
    </tr>
  ) : null;

const PeriodRow: FC<Period> = ({ first, last, days, records, totals, camera_ok }) => (
  <tr data-first={first}>
    <th scope="row">{formatDays({ first, last })}</th>
    <td class="number">{formatNumber(days)}</td>
    <td class="number">{formatNumber(records)}</td>
    {ROAD_USERS.map((name) => (
      <td class="number">{formatMean(totals[name], days)}</td>
    ))}
    {HEALTH.map((name) => (
      <td class="number">{formatShare(camera_ok[name], records)}</td>
    ))}
  </tr>
);

/** The name of consecutive days. */
export function formatDays({ first, last }: Gap): string {
  return first === last ? first : `${first} to ${last}`;
}
