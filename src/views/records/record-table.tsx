import type { FC } from "hono/jsx";
import { NO_COUNTS, ROAD_USERS, type TrafficRecord } from "../../records/record.ts";

const COLUMNS = [
  "timestamp",
  "camera_ref",
  "camera_ok",
  ...ROAD_USERS,
  "camera_pk",
  "id",
  "model_name",
] as const satisfies (keyof TrafficRecord)[];

/** The columns that contain strings. */
const TEXT_COLUMNS = ["timestamp", "camera_ref", "camera_ok", "model_name"];

interface RecordTableProps {
  /** The records of a page, newest first. At least one. */
  records: TrafficRecord[];
  /** The date of the jump to the page. */
  jumpDate: string | undefined;
}

/**
 * The records of a page, with a row for each record. In narrow windows, each row is a card that names its counts and hides
 * zeros. The first row of each day has an `id`, the target of a jump to a date (src/routes/date-jump.ts).
 */
export const RecordTable: FC<RecordTableProps> = ({ records, jumpDate }) => {
  const days = records.map(getDay);
  const nearestDay = jumpDate === undefined ? undefined : findNearestDay(days, jumpDate);
  return (
    <>
      <table class="records">
        <thead>
          <tr>
            {COLUMNS.map((name) => (
              <th scope="col" class={TEXT_COLUMNS.includes(name) ? undefined : "number"}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record, index) => {
            const day = getDay(record);
            const isFirstRowOfDay = day !== days[index - 1];
            const hasNoneFromJumpDate = isFirstRowOfDay && day === nearestDay && day !== jumpDate;
            return (
              <>
                {hasNoneFromJumpDate && (
                  <tr class="nearest">
                    <td colspan={COLUMNS.length}>
                      This page has no records from {jumpDate}. The nearest are from {day}.
                    </td>
                  </tr>
                )}
                <tr id={isFirstRowOfDay ? day : undefined} class={getRowClass(record)}>
                  {COLUMNS.map((name) => (
                    <Cell name={name} value={record[name]} />
                  ))}
                </tr>
              </>
            );
          })}
        </tbody>
      </table>
      {records.some(({ camera_ok }) => camera_ok === null) && (
        <p class="quiet">
          A null <code>camera_ok</code> means that camera health was not recorded.
        </p>
      )}
    </>
  );
};

/** Returns the day of a record, such as `2025-10-29`. */
export function getDay({ timestamp }: TrafficRecord): string {
  return timestamp.slice(0, 10);
}

/**
 * Finds the day that is nearest to a date.
 * @param days Newest first, so that the older of two equally near days wins
 */
function findNearestDay(days: string[], date: string): string {
  const getDistance = (day: string) => Math.abs(Date.parse(day) - Date.parse(date));
  return days.reduce((nearest, day) => (getDistance(day) <= getDistance(nearest) ? day : nearest));
}

/** A card hides counts of 0, unless all counts are 0. */
function getRowClass(record: TrafficRecord): string | undefined {
  if (record.camera_ok === "False") return "failing";
  return ROAD_USERS.every((name) => record[name] === 0) ? "all-zero" : undefined;
}

const Cell: FC<{ name: string; value: string | number | null }> = ({ name, value }) => {
  const text = String(value);
  if (name === "timestamp")
    return (
      <th scope="row">
        <time>{text}</time>
      </th>
    );
  const kind = TEXT_COLUMNS.includes(name) ? name : `number ${name}`;
  return (
    <td class={value === 0 && name in NO_COUNTS ? `${kind} zero` : kind} data-name={name}>
      {name === "camera_ok" ? <span class={`health health-${text}`}>{text}</span> : text}
    </td>
  );
};
