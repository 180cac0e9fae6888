import type { FC } from "hono/jsx";
import { CLASSES } from "../../records/classes.ts";
import type { TrafficRecord } from "../../records/record.ts";
import { CountsPicture } from "./counts-picture.tsx";

/** The records of a page, a row each, with all twelve fields under their own names. */
export const RecordTable: FC<{ records: TrafficRecord[] }> = ({ records }) => {
  const most = Math.max(1, ...records.flatMap((record) => CLASSES.map((name) => record[name])));
  return (
    <section class="scroll" aria-label="Records of this page" tabindex={0}>
      <table class="records">
        <thead>
          <tr>
            <th scope="col">timestamp</th>
            <th scope="col">camera_ref</th>
            <td class="picture" />
            <th scope="col">camera_ok</th>
            {CLASSES.map((name) => (
              <th scope="col" class={`number key ${name}`}>
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
            <RecordRow record={record} most={most} />
          ))}
        </tbody>
      </table>
    </section>
  );
};

const RecordRow: FC<{ record: TrafficRecord; most: number }> = ({ record, most }) => (
  <tr class={record.camera_ok === "False" ? "failing" : undefined}>
    <th scope="row">
      <time datetime={record.timestamp}>{record.timestamp}</time>
    </th>
    <td>{record.camera_ref}</td>
    <td class="picture">
      <CountsPicture record={record} most={most} />
    </td>
    <td>
      <Health value={record.camera_ok} />
    </td>
    {CLASSES.map((name) => (
      <td class={record[name] === 0 ? "number zero" : "number"}>{record[name]}</td>
    ))}
    <td class="number quiet">{record.camera_pk}</td>
    <td class="number quiet">{record.id}</td>
    <td class="quiet">{record.model_name}</td>
  </tr>
);

const HEALTH = { True: "ok", False: "failing", null: "unknown" };

/** Camera health, told by its mark and its text, not by colour alone. */
const Health: FC<{ value: TrafficRecord["camera_ok"] }> = ({ value }) => (
  <span class={`health ${HEALTH[value ?? "null"]}`}>{value ?? "null"}</span>
);
