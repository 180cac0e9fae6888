import { ROAD_USERS, type RoadUser, type TrafficRecord } from "../../records/record.ts";
import type { FC } from "../jsx-runtime.ts";

/**
 * The records of a page, one row each, with all twelve fields. In narrow windows each row becomes a card
 * (src/site/assets/styles/site/record-cards.css).
 */
export const RecordTable: FC<{ records: TrafficRecord[] }> = ({ records }) => (
  <section class="scroll records" aria-label="Records of this page" tabindex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">timestamp</th>
          <th scope="col">camera_ref</th>
          <th scope="col">camera_ok</th>
          {ROAD_USERS.map((name) => (
            <th scope="col" class="number">
              {name}
            </th>
          ))}
          <th scope="col" class="number">
            camera_pk
          </th>
          <th scope="col" class="number">
            id
          </th>
          <th scope="col">model_name</th>
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <RecordRow record={record} />
        ))}
      </tbody>
    </table>
  </section>
);

const RecordRow: FC<{ record: TrafficRecord }> = ({ record }) => (
  <tr id={String(record.id)} class={classifyRow(record)}>
    <th scope="row">
      <time datetime={record.timestamp}>{record.timestamp}</time>
    </th>
    <td class="camera">{record.camera_ref}</td>
    <td class="status-cell">
      <HealthMark value={record.camera_ok} />
    </td>
    {ROAD_USERS.map((name) => (
      <CountCell name={name} count={record[name]} />
    ))}
    <td class="number quiet">{record.camera_pk}</td>
    <td class="number quiet id">
      <a href={`#${record.id}`}>{record.id}</a>
    </td>
    <td class="quiet">{record.model_name}</td>
  </tr>
);

function classifyRow(record: TrafficRecord): string | undefined {
  if (record.camera_ok === "False") return "failing";
  return ROAD_USERS.every((name) => record[name] === 0) ? "idle" : undefined;
}

const HEALTH_CLASSES = { True: "ok", False: "failing", null: "unknown" };

/** The camera health, shown by a mark and by its text, not by colour alone. */
const HealthMark: FC<{ value: TrafficRecord["camera_ok"] }> = ({ value }) => (
  <span class={`health ${HEALTH_CLASSES[value ?? "null"]}`}>{value ?? "null"}</span>
);

const SINGULAR: Record<RoadUser, string> = {
  cars: "car",
  persons: "person",
  bicycles: "bicycle",
  trucks: "truck",
  motorcycles: "motorcycle",
  buses: "bus",
};

/** A count, with a bar below it. Cards show its name after it, and leave out zeros. The mock may have removed the count. */
const CountCell: FC<{ name: RoadUser; count: number | undefined }> = ({ name, count }) => (
  <td
    class={count === 0 ? "number zero" : `number count length-${barLength(count ?? 0)}`}
    data-name={count === 1 ? SINGULAR[name] : name}
  >
    {count === undefined ? "missing" : String(count)}
  </td>
);

/** The count whose bar has the full length, the same on every page, so that bars can be compared. */
const FULL_COUNT = 60;

/**
 * The length grows with the square root of the count, so that one bus is visible next to forty cars.
 * @returns tenths of the width of the cell, 1 to 10
 */
function barLength(count: number): number {
  return Math.max(1, Math.round(10 * Math.sqrt(Math.min(1, count / FULL_COUNT))));
}
