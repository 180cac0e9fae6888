import { GO_PATH } from "../../constants.ts";
import { type FC, Markup } from "../jsx-runtime.ts";
import { formatCompact, formatMean, formatQuantity, formatShare } from "../text-format.ts";
import { NAME_LENGTH, type Period, type Periods, type Unit } from "./summary.ts";

/** The periods that are not folded. */
const SHOWN = 12;

/** The days, months or years of a collection, newest first. */
export const PeriodTable: FC<Periods> = ({ unit, periods }) => (
  <div>
    <Table unit={unit} periods={periods.slice(0, SHOWN)} />
    {periods.length > SHOWN && (
      <details>
        <summary>{formatQuantity(periods.length - SHOWN, `earlier ${unit}`)}</summary>
        <Table unit={unit} periods={periods.slice(SHOWN)} />
      </details>
    )}
    <p class="quiet">
      Failing is the share of <code>"False"</code> among the records with a known <code>camera_ok</code>.
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
    <tbody>{new Markup(periods.map((period) => writeRow(period, unit)).join(""))}</tbody>
  </table>
);

/**
 * Writes a row as text, because an element for each of hundreds of cells would take a millisecond of the first page of an instance. It
 * contains only dates and numbers.
 */
function writeRow(period: Period, unit: Unit): string {
  const { last, records, failing, unknown, mean_road_users: mean } = period;
  const share = unknown === records ? "–" : formatShare(failing, records - unknown);
  const figures = [formatCompact(records), share, mean === null ? "–" : formatMean(mean)];
  const cells = figures.map((figure) => `<td class="number">${figure}</td>`).join("");
  const link = `<a href="${GO_PATH}?date=${last}">${namePeriod(period, unit)}</a>`;
  return `<tr><th scope="row">${link}</th>${cells}</tr>`;
}

/** How the first day of a unit ends. */
const FIRST_DAY: Record<Unit, string> = { day: "", month: "-01", year: "-01-01" };

const DAY_MS = 86_400_000;

/** The name of a period: `2019`, or `17 May – 31 Dec 2019` if the collection covers only a part of it. */
export function namePeriod({ first, last }: Pick<Period, "first" | "last">, unit: Unit): string {
  const next = new Date(Date.parse(last) + DAY_MS).toISOString();
  const isWhole = first.endsWith(FIRST_DAY[unit]) && !next.startsWith(last.slice(0, NAME_LENGTH[unit]));
  return isWhole ? splitDate(first, unit).join(" ") : formatDates(first, last);
}

/** The days from the first to the last one: `17–19 May 2019`, `27 Oct – 2 Nov 2025`. */
export function formatDates(first: string, last: string): string {
  const [start, end] = [splitDate(first, "day"), splitDate(last, "day")];
  // A month or a year that both have in common is written once.
  while (start.length > 0 && start.at(-1) === end[start.length - 1]) start.pop();
  if (start.length === 0) return end.join(" ");
  return [start, end].map((parts) => parts.join(" ")).join(start.length > 1 ? " – " : "–");
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The day, the month and the year of a date, as far as the unit has them. */
function splitDate(date: string, unit: Unit): string[] {
  const [year = "", month, day] = date.slice(0, NAME_LENGTH[unit]).split("-");
  const parts = [day && String(Number(day)), month && MONTHS[Number(month) - 1], year];
  return parts.filter((part) => part !== undefined);
}
