import { GO_PATH } from "../about.ts";
import { type FC, Markup } from "../jsx-runtime.ts";
import { formatCount, formatNumber, formatShare } from "../number-format.ts";
import { formatMean } from "./hours-figure.tsx";
import { namePeriod, type Period, type Periods } from "./periods.ts";

/** The periods that are not folded. */
const SHOWN = 12;

/** The days, months or years of a collection, newest first. */
export const PeriodTable: FC<Periods> = ({ unit, periods }) => (
  <div>
    <Table unit={unit} periods={periods.slice(0, SHOWN)} />
    {periods.length > SHOWN && (
      <details>
        <summary>{formatCount(periods.length - SHOWN, `earlier ${unit}`)}</summary>
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
        {["Records", "Failing", "Road users per record"].map((name) => (
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
 * Writes a row as text, because an element for each of hundreds of cells would take much longer. It contains only dates and
 * numbers.
 */
function writeRow(period: Period, unit: Periods["unit"]): string {
  const { last, records, failing, unknown, road_users } = period;
  const share = unknown === records ? "–" : formatShare(failing, records - unknown);
  const figures = [formatNumber(records), share, formatMean(road_users / records)];
  const cells = figures.map((figure) => `<td class="number">${figure}</td>`).join("");
  const link = `<a href="${GO_PATH}?date=${last}">${namePeriod(period, unit)}</a>`;
  return `<tr><th scope="row">${link}</th>${cells}</tr>`;
}
