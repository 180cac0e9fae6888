import type { FC } from "hono/jsx";
import type { TrafficRecord } from "../../records/record.ts";
import { ROAD_USERS } from "../../records/road-users.ts";

const WIDTH = 6;
const GAP = 2;
const HEIGHT = 20;

/** The count whose bar has the full height, on every page, so that pictures compare; what is above looks the same. */
const FULL = 60;

/**
 * A small picture of a record's counts: a bar for each class, in the order of the columns. Heights follow the square
 * root, so that one bus is still seen beside forty cars. The counts stand beside it, so nobody needs it read aloud.
 */
export const CountsPicture: FC<{ record: TrafficRecord }> = ({ record }) => (
  <svg
    class="picture"
    viewBox={`0 0 ${ROAD_USERS.length * (WIDTH + GAP) - GAP} ${HEIGHT}`}
    aria-hidden="true"
  >
    {ROAD_USERS.map((name, index) => {
      const height = scale(record[name]);
      return (
        <rect
          class={record[name] === 0 ? "none" : undefined}
          x={index * (WIDTH + GAP)}
          y={HEIGHT - height}
          width={WIDTH}
          height={height}
        />
      );
    })}
  </svg>
);

/** @returns a whole number of pixels; a count of 0 has a line to stand on */
function scale(count: number): number {
  return count === 0 ? 1 : Math.max(3, Math.round(HEIGHT * Math.sqrt(Math.min(1, count / FULL))));
}
