import { GO_PATH } from "../../constants.ts";
import { type FC, Markup } from "../jsx-runtime.ts";
import { formatCompact, formatMean, formatQuantity, formatShare } from "../text-format.ts";
import { DATE_LENGTHS, type Period, type Periods, type Unit } from "./summary.ts";

/** The number of periods that are always visible. */
const MAX_OPEN_PERIODS = 12;

/** The days, months or years of a collection, newest first. */
export const PeriodTable: FC<Periods> = ({ unit, periods }) => (
  <div>
    <Table unit={unit} periods={periods.slice(0, MAX_OPEN_PERIODS)} />
    {periods.length > MAX_OPEN_PERIODS && (
      <details>
        <summary>{formatQuantity(periods.length - MAX_OPEN_PERIODS, `earlier ${unit}`)}</summary>
        <Table unit={unit} periods={periods.slice(MAX_OPEN_PERIODS)} />
      </details>
    )}
    <p class="quiet">
      Failing: the share of records with <code>camera_ok</code> <code>"False"</code>, ignoring records in
      which it is null.
    </p>
  </div>
);

const Table: FC<Periods> = ({ unit, periods }) => (
  <table class="periods">
    <thead>
      <tr>
        <th scope="col">{unit[0]?.toUpperCase() + unit.slice(1)}</th>
        {["Records", "Failing", "Road users per record of a working camera"].map((name) => (
          <th scope="col" class="number">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{new Markup(periods.map((period) => renderRow(period, unit)).join(""))}</tbody>
  </table>
);

/** Renders a row as a string, because an element for each of hundreds of cells would be slow. A row only contains dates and numbers. */
function renderRow(period: Period, unit: Unit): string {
  const { last, records, failing, unknown, mean_road_users: mean } = period;
  const share = unknown === records ? "–" : formatShare(failing, records - unknown);
  const figures = [formatCompact(records), share, mean === null ? "–" : formatMean(mean)];
  const cells = figures.map((figure) => `<td class="number">${figure}</td>`).join("");
  const link = `<a href="${GO_PATH}?date=${last}">${formatPeriod(period, unit)}</a>`;
  return `<tr><th scope="row">${link}</th>${cells}</tr>`;
}

/** The end of the first day of each unit. */
const FIRST_DAY: Record<Unit, string> = { day: "", month: "-01", year: "-01-01" };

const DAY_MS = 86_400_000;

/** Formats a period: `2019`, or `17 May – 31 Dec 2019` if the collection covers only a part of the year. */
export function formatPeriod({ first, last }: Pick<Period, "first" | "last">, unit: Unit): string {
  const next = new Date(Date.parse(last) + DAY_MS).toISOString();
  const isWhole = first.endsWith(FIRST_DAY[unit]) && !next.startsWith(last.slice(0, DATE_LENGTHS[unit]));
  return isWhole ? splitDate(first, unit).join(" ") : formatDates(first, last);
}

/** Formats a range of days: `17–19 May 2019`, `27 Oct – 2 Nov 2025`. */
export function formatDates(first: string, last: string): string {
  const [start, end] = [splitDate(first, "day"), splitDate(last, "day")];
  // A common month or year appears once.
  while (start.length > 0 && start.at(-1) === end[start.length - 1]) start.pop();
  if (start.length === 0) return end.join(" ");
  return [start, end].map((parts) => parts.join(" ")).join(start.length > 1 ? " – " : "–");
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Splits a date into the day, the month and the year, as far as the unit includes them. */
function splitDate(date: string, unit: Unit): string[] {
  const [year = "", month, day] = date.slice(0, DATE_LENGTHS[unit]).split("-");
  const parts = [day && String(Number(day)), month && MONTHS[Number(month) - 1], year];
  return parts.filter((part) => part !== undefined);
}
