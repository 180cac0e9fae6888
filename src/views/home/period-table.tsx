import type { FC, PropsWithChildren } from "hono/jsx";
import { DATE_JUMP_PATH } from "../site.ts";
import { formatCompact, formatMean, formatQuantity, formatShare } from "../text-format.ts";
import type { Period, Periods, Unit } from "./summary.ts";

/** Earlier periods are visible after a click. */
const MAX_OPEN_PERIODS = 12;

/**
 * The days, months or years of a collection, newest first.
 * @param query The parameters of the links to their records
 */
export const PeriodTable: FC<Periods & { query: URLSearchParams }> = ({ unit, periods, query }) => {
  const rows = periods.map((period) => <Row period={period} unit={unit} query={query} />);
  return (
    <div>
      <h2>The collection</h2>
      <Table unit={unit}>{rows.slice(0, MAX_OPEN_PERIODS)}</Table>
      {rows.length > MAX_OPEN_PERIODS && (
        <details>
          <summary>{formatQuantity(rows.length - MAX_OPEN_PERIODS, `earlier ${unit}`)}</summary>
          <Table unit={unit}>{rows.slice(MAX_OPEN_PERIODS)}</Table>
        </details>
      )}
      <p class="quiet">
        Camera failing: the share of records with <code>camera_ok</code> <code>"False"</code>, ignoring null.
        Road users: without these records.
      </p>
    </div>
  );
};

const UNIT_NAMES = { day: "Day", month: "Month", year: "Year" };

const Table: FC<PropsWithChildren<{ unit: Unit }>> = ({ unit, children }) => (
  <table class="periods">
    <caption>
      <b>Records by {unit}</b>
    </caption>
    <thead>
      <tr>
        <th scope="col">{UNIT_NAMES[unit]}</th>
        {["Records", "Camera failing", "Road users per record"].map((name) => (
          <th scope="col" class="number">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);

const Row: FC<{ period: Period; unit: Unit; query: URLSearchParams }> = ({ period, unit, query }) => {
  const { last, records, failing, unknown, mean_road_users: mean } = period;
  const known = records - (unknown ?? records);
  return (
    <tr>
      <th scope="row">
        <a href={`${DATE_JUMP_PATH}?${new URLSearchParams([["date", last], ...query])}`}>
          {formatDate(last, unit)}
        </a>
      </th>
      <td class="number">{formatCompact(records)}</td>
      <td class="number">{failing === null || known === 0 ? "–" : formatShare(failing, known)}</td>
      <td class="number">{mean === null ? "–" : formatMean(mean)}</td>
    </tr>
  );
};

/** Formats the day, the month or the year of a time or a date: `2 Nov 2025`, `Nov 2025` or `2025`. */
export function formatDate(time: string, unit: Unit = "day"): string {
  // The whole text is `Sun, 02 Nov 2025 00:00:00 GMT` (ECMAScript, Date.prototype.toUTCString).
  const [, day, month, year] = new Date(time).toUTCString().split(" ");
  return { day: `${Number(day)} ${month} ${year}`, month: `${month} ${year}`, year: `${year}` }[unit];
}
