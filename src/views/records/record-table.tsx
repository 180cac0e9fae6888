import type { FC } from "hono/jsx";
import { ROAD_USERS } from "../../records/road-users.ts";
import type { TrafficRecord } from "../../records/schema.ts";
import { REFERENCE_PATH } from "../site.ts";

/**
 * The records of a page, newest first. In narrow windows, each row is a card that names its counts. The `id` of the first row of a day is
 * the day, so that a jump to a date can lead there (src/routes/date-jump.ts).
 */
export const RecordTable: FC<{ records: TrafficRecord[] }> = ({ records }) => {
  const days = records.map(getDay);
  return (
    <table class="records" aria-label="Records">
      <thead>
        <tr>
          {COLUMNS.map((name) => (
            <th scope="col" class={NUMBERS.some((number) => number === name) ? "number" : undefined}>
              <a href={`${REFERENCE_PATH}#record-${name}`}>{name}</a>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {records.map((record, index) => {
          const isFirstRowOfDay = days[index] !== days[index - 1];
          return <Row record={record} id={isFirstRowOfDay ? days[index] : undefined} />;
        })}
      </tbody>
    </table>
  );
};

/** Shown in place of the records if there are none. */
export const EmptyCollection: FC = () => (
  <p class="banner">
    The collection is empty. To load records, run <code>npm run data -- load counts.csv</code>, with{" "}
    <code>--remote</code> for a deployment. The package gets them at its start:{" "}
    <code>npx traffic-count-records counts.csv</code>.
  </p>
);

const NUMBERS = [...ROAD_USERS, "camera_pk", "id"] as const;
const COLUMNS = ["timestamp", "camera_ref", "camera_ok", ...NUMBERS, "model_name"] as const;

const Row: FC<{ record: TrafficRecord; id: string | undefined }> = ({ record, id }) => (
  <tr id={id} class={record.camera_ok === "False" ? "failing" : undefined}>
    <th scope="row">
      <time>{record.timestamp}</time>
    </th>
    <td class="camera_ref">{record.camera_ref}</td>
    <td data-name="camera_ok">
      <span class={`health health-${record.camera_ok}`}>{String(record.camera_ok)}</span>
    </td>
    {NUMBERS.map((name) => (
      <td class={record[name] === 0 ? `number ${name} zero` : `number ${name}`} data-name={name}>
        {record[name]}
      </td>
    ))}
    <td class="model_name" data-name="model_name">
      {record.model_name}
    </td>
  </tr>
);

export function getDay({ timestamp }: TrafficRecord): string {
  return timestamp.slice(0, 10);
}
