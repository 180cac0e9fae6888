import type { FC } from "hono/jsx";
import type { TrafficRecord } from "../../records/record.ts";
import { ROAD_USERS } from "../../records/road-users.ts";

/**
 * The records of a page, one row each, with all twelve fields and a picture of the counts. If the window is narrower than
 * a row, the rows and the column names are broken into lines (src/site/assets/styles/site/record-cards.css).
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

const HEALTH_CLASSES = { True: "ok", False: "failing", null: "unknown" };

/** The camera health, shown by a mark and by its text, not by colour alone. */
const HealthMark: FC<{ value: TrafficRecord["camera_ok"] }> = ({ value }) => (
  <span class={`health ${HEALTH_CLASSES[value ?? "null"]}`}>{value ?? "null"}</span>
);

const BAR_WIDTH = 6;
const BAR_GAP = 2;
const PICTURE_WIDTH = ROAD_USERS.length * (BAR_WIDTH + BAR_GAP) - BAR_GAP;
const PICTURE_HEIGHT = 20;

/** The count whose bar has the full height, the same on every page, so that pictures can be compared. */
const FULL_COUNT = 60;

/**
 * A small picture of the counts of a record: one bar for each column. Screen readers skip it, because the counts are next
 * to it.
 */
const CountsPicture: FC<{ record: TrafficRecord }> = ({ record }) => (
  <svg class="picture" viewBox={`0 0 ${PICTURE_WIDTH} ${PICTURE_HEIGHT}`} aria-hidden="true">
    {ROAD_USERS.map((name, index) => {
      const height = barHeight(record[name]);
      return (
        <rect
          class={record[name] === 0 ? "none" : undefined}
          x={index * (BAR_WIDTH + BAR_GAP)}
          y={PICTURE_HEIGHT - height}
          width={BAR_WIDTH}
          height={height}
        />
      );
    })}
  </svg>
);

/**
 * The height grows with the square root of the count, so that one bus is visible next to forty cars.
 * @returns whole pixels; a count of 0 is a line of one pixel
 */
function barHeight(count: number): number {
  return count === 0
    ? 1
    : Math.max(3, Math.round(PICTURE_HEIGHT * Math.sqrt(Math.min(1, count / FULL_COUNT))));
}
