import { NO_COUNTS, ROAD_USERS, type TrafficRecord } from "../../records/record.ts";
import type { FC } from "../jsx-runtime.ts";

type Name = keyof TrafficRecord;

/** The columns with numbers. */
const NUMBERS: Name[] = [...ROAD_USERS, "camera_pk", "id"];

const COLUMNS: Name[] = ["timestamp", "camera_ref", "camera_ok", ...NUMBERS, "model_name"];

/**
 * The records of a page, one row each, with all twelve fields. In narrow windows each row becomes a card, which shows the
 * names of the counts and leaves out zeros. A field that a fault has removed or changed is shown as it is.
 */
export const RecordTable: FC<{ records: Partial<TrafficRecord>[] }> = ({ records }) => (
  <table class="records">
    <thead>
      <tr>
        {COLUMNS.map((name) => (
          <th scope="col" class={NUMBERS.includes(name) ? "number" : undefined}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {records.map((record, index) => {
        const day = toDay(record);
        const isFirst = day !== toDay(records[index - 1]);
        return (
          <>
            {isFirst && <Nearest day={day} />}
            <tr class={record.camera_ok === "False" ? "failing" : undefined}>
              {COLUMNS.map((name) => (
                <Cell name={name} value={record[name]} day={isFirst ? day : undefined} />
              ))}
            </tr>
          </>
        );
      })}
    </tbody>
  </table>
);

function toDay(record: Partial<TrafficRecord> | undefined): string | undefined {
  return record?.timestamp?.slice(0, 10);
}

/** The row above the first record of a day. It is shown only if a jump to a date without records leads to it (src/site/go.ts). */
const Nearest: FC<{ day: string | undefined }> = ({ day }) => (
  <tr class="nearest" id={`nearest-${day}`}>
    <td colspan={12}>No records have the date that you chose. The nearest ones are of {day}.</td>
  </tr>
);

/** @param day the day, if it is the first record of the day on this page */
const Cell: FC<{ name: Name; value: unknown; day: string | undefined }> = ({ name, value, day }) => {
  const text = value === undefined ? "missing" : String(value);
  if (name === "timestamp")
    return (
      <th scope="row" id={day}>
        <time>{text}</time>
      </th>
    );
  const kind = NUMBERS.includes(name) ? `number ${name}` : name;
  return (
    <td class={value === 0 && name in NO_COUNTS ? `${kind} zero` : kind} data-name={name}>
      {name === "camera_ok" ? <span class={`health health-${text}`}>{text}</span> : text}
    </td>
  );
};
