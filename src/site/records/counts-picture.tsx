import type { FC } from "hono/jsx";
import { CLASSES } from "../../records/classes.ts";
import type { TrafficRecord } from "../../records/record.ts";

const WIDTH = 6;
const GAP = 2;
const HEIGHT = 24;

/**
 * A small picture of a record's counts, a bar for each class. Heights follow the square root, so that one bus is still
 * seen beside forty cars. The counts stand beside it in figures, so nobody needs it read aloud.
 * @param most the count whose bar has the full height
 */
export const CountsPicture: FC<{ record: TrafficRecord; most: number }> = ({ record, most }) => (
  <svg class="counts" viewBox={`0 0 ${CLASSES.length * (WIDTH + GAP) - GAP} ${HEIGHT}`} aria-hidden="true">
    {CLASSES.map((name, index) => {
      const height = record[name] === 0 ? 1 : Math.max(3, HEIGHT * Math.sqrt(record[name] / most));
      return (
        <rect
          class={record[name] === 0 ? "none" : name}
          x={index * (WIDTH + GAP)}
          y={round(HEIGHT - height)}
          width={WIDTH}
          height={round(height)}
        />
      );
    })}
  </svg>
);

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
