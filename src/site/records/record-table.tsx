import type { TrafficRecord } from "../../records/record.ts";
import { ROAD_USERS } from "../../records/record.ts";
import type { FC } from "../jsx-runtime.ts";

/**
 * The records of a page, one row each, with all twelve fields. In narrow windows each row becomes a card, which shows the
 * names of the counts and leaves out zeros. A field that a fault has removed or changed is shown as it is.
 */
export const RecordTable: FC<{ records: Partial<TrafficRecord>[] }> = ({ records }) => (
  <table class="records">
    <thead>
      <tr>
        {["timestamp", "camera_ref", "camera_ok"].map((name) => (
          <th scope="col">{name}</th>
        ))}
        {[...ROAD_USERS, "camera_pk", "id"].map((name) => (
          <th scope="col" class="number">
            {name}
          </th>
        ))}
        <th scope="col">model_name</th>
      </tr>
    </thead>
    <tbody>
      {records.map((record, index) => {
        const day = toDay(record);
        const isFirst = day !== toDay(records[index - 1]);
        return (
          <>
            {isFirst && <Nearest day={day} />}
            <Row record={record} day={isFirst ? day : undefined} />
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

interface RowProps {
  record: Partial<TrafficRecord>;
  /** The day, if it is the first record of the day on this page. */
  day: string | undefined;
}

const Row: FC<RowProps> = ({ record, day }) => {
  const { id, timestamp, camera_ref, camera_ok, camera_pk, model_name } = record;
  return (
    <tr class={camera_ok === "False" ? "failing" : undefined}>
      <th scope="row" id={day}>
        <time>{show(timestamp)}</time>
      </th>
      <td class="camera">{show(camera_ref)}</td>
      <td>
        <span class={`health health-${camera_ok}`}>{show(camera_ok)}</span>
      </td>
      {ROAD_USERS.map((name) => (
        <td class={record[name] === 0 ? "number zero" : "number count"} data-name={name}>
          {show(record[name])}
        </td>
      ))}
      <td class="number pk" data-name="camera_pk">
        {show(camera_pk)}
      </td>
      <td class="number id" data-name="id">
        {show(id)}
      </td>
      <td class="model">{show(model_name)}</td>
    </tr>
  );
};

function show(value: unknown): string {
  return value === undefined ? "missing" : String(value);
}
