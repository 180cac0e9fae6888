import type { FC } from "hono/jsx";
import { ROAD_USERS } from "../../records/road-users.ts";
import { HEALTH } from "../health.ts";
import { formatMean, formatNumber, formatShare } from "../number.ts";
import { findGap, type Gap, type Period, type Periods } from "./periods.ts";

/** The figures of the charts, by the names of their columns. */
export const PeriodTable: FC<Periods> = (cut) => (
  <details class="figures">
    <summary>The figures of the charts</summary>
    <section class="scroll" aria-label="The figures of the charts" tabindex={0}>
      <table id="periods">
        <caption>
          Road users per day{cut.period_days > 1 && ": means of the days with records"}; camera health in % of
          records.
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
          {cut.periods.map((period, index) => (
            <>
              <GapRow gap={findGap(cut, index)} />
              <PeriodRow {...period} />
            </>
          ))}
        </tbody>
      </table>
    </section>
  </details>
);

/** Says which days have no records; the charts leave a place for them. */
const GapRow: FC<{ gap: Gap | undefined }> = ({ gap }) =>
  gap ? (
    <tr class="quiet">
      <th scope="row">{nameDays(gap)}</th>
      <td colspan={2 + ROAD_USERS.length + HEALTH.length}>no records</td>
    </tr>
  ) : null;

const PeriodRow: FC<Period> = ({ first, last, days, records, totals, camera_ok }) => (
  <tr data-first={first}>
    <th scope="row">{nameDays({ first, last })}</th>
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

/** The days from one to another, both included. */
export function nameDays({ first, last }: Gap): string {
  return first === last ? first : `${first} to ${last}`;
}
