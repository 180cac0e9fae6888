import type { FC } from "hono/jsx";
import type { TrafficRecord } from "../../records/record.ts";
import { ROAD_USERS } from "../../records/road-users.ts";
import type { Health } from "../health.ts";
import { CountsPicture } from "./counts-picture.tsx";

/**
 * The records of a page, a row each, with all twelve fields under their own names and a picture of the counts. Where a row is wider than the window
 * (src/site/assets/styles/site/cards.css), it and the names take three lines, in the same places.
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
          <th scope="col">counts</th>
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
  <tr class={record.camera_ok === "False" ? "failing" : undefined}>
    <th scope="row">
      <time datetime={record.timestamp}>{record.timestamp}</time>
    </th>
    <td>{record.camera_ref}</td>
    <td>
      <HealthMark value={record.camera_ok} />
    </td>
    {ROAD_USERS.map((name) => (
      <td class={record[name] === 0 ? "number zero" : "number"}>{record[name]}</td>
    ))}
    <td>
      <CountsPicture record={record} />
    </td>
    <td class="number quiet">{record.camera_pk}</td>
    <td class="number quiet">{record.id}</td>
    <td class="quiet">{record.model_name}</td>
  </tr>
);

const MARKS: Record<Health, string> = { True: "ok", False: "failing", null: "unknown" };

/** Camera health, told by its mark and its text, not by colour alone. */
const HealthMark: FC<{ value: TrafficRecord["camera_ok"] }> = ({ value }) => (
  <span class={`health ${MARKS[value ?? "null"]}`}>{value ?? "null"}</span>
);
