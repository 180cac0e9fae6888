import { NO_COUNTS, ROAD_USERS, type TrafficRecord } from "../../records/record.ts";
import type { FC } from "../jsx-runtime.ts";

const COLUMNS = ["timestamp", "camera_ref", "camera_ok", ...ROAD_USERS, "camera_pk", "id", "model_name"];

/** The columns without numbers. */
const TEXTS = ["timestamp", "camera_ref", "camera_ok", "model_name"];

/** A record of a response. A fault may have removed, changed or added a field. */
type Row = Partial<TrafficRecord> & Record<string, unknown>;

interface RecordTableProps {
  records: Row[];
  /** The date of the jump that led to the page. */
  chosen: string | undefined;
}

/**
 * The records of a page, one row each, with all fields. In narrow windows each row becomes a card, which shows the names of the
 * counts and leaves out zeros. The first record of each day has an `id`, to which a jump to a date leads (src/site/go.ts).
 */
export const RecordTable: FC<RecordTableProps> = ({ records, chosen }) => {
  const columns = [...new Set([...COLUMNS, ...records.flatMap(Object.keys)])];
  return (
    <table class="records">
      <thead>
        <tr>
          {columns.map((name) => (
            <th scope="col" class={TEXTS.includes(name) ? undefined : "number"}>
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
              {/* It is shown only if the jump leads to the row below it. */}
              {isFirst && chosen && day !== chosen && (
                <tr class="nearest">
                  <td colspan={columns.length}>
                    No record is of {chosen}. The nearest ones are of {day}.
                  </td>
                </tr>
              )}
              <tr id={isFirst ? day : undefined} class={classify(record)}>
                {columns.map((name) => (
                  <Cell name={name} value={record[name]} />
                ))}
              </tr>
            </>
          );
        })}
      </tbody>
    </table>
  );
};

function toDay(record: Row | undefined): string | undefined {
  return record?.timestamp?.slice(0, 10);
}

/** A card shows the zeros of a working camera that saw nobody: otherwise it would show no counts. */
function classify(record: Row): string | undefined {
  if (record.camera_ok === "False") return "failing";
  return ROAD_USERS.every((name) => record[name] === 0) ? "nobody" : undefined;
}

const Cell: FC<{ name: string; value: unknown }> = ({ name, value }) => {
  const absent = COLUMNS.includes(name) ? "missing" : "";
  const text = value === undefined ? absent : String(value);
  if (name === "timestamp")
    return (
      <th scope="row">
        <time>{text}</time>
      </th>
    );
  const kind = TEXTS.includes(name) ? name : `number ${name}`;
  return (
    <td class={value === 0 && name in NO_COUNTS ? `${kind} zero` : kind} data-name={name}>
      {name === "camera_ok" ? <span class={`health health-${text}`}>{text}</span> : text}
    </td>
  );
};
