import type { TrafficRecord } from "../records/record.ts";
import { NO_COUNTS } from "../records/road-users.ts";
import { type Camera, cameras } from "./cameras.ts";
import { countsOf } from "./counts.ts";
import { orderOf, rankIn } from "./order.ts";
import { hash, uniform } from "./random.ts";
import { captureTime, EPOCH, type Slot, slots } from "./slots.ts";
import { inSpell } from "./spells.ts";

/** The seed number of the static seed and of what grows behind it: with another one every record changes. */
export const SEED = 1;

/** How many cameras there are, and minutes from one record of a camera to its next, unless a period says otherwise. */
export const CAMERAS = 86;
export const INTERVAL = 30;

/** Which records to make. */
export interface Period {
  /** A whole number 0 .. 2^32 - 1: another one gives other records. */
  seed: number;
  /** The first moment of the period, not before 2019-01-01 UTC. */
  from: Date;
  /** The first moment after the period: no records unless it is later than `from`. */
  to: Date;
  /** How many cameras, 1 or more; 86 unless given. */
  cameras?: number;
  /** Whole minutes from one record of a camera to its next, 1 or more; 30 unless given. */
  interval?: number;
}

/** Older records carry no health (specification, "List records", rule 4). Seconds since 1970-01-01 UTC. */
const HEALTH_SINCE = Date.UTC(2021, 0, 1) / 1000;

/** Share of records missing on their own, beside those of the hours in which a camera is absent. */
const MISSING = 0.012;

const GAP = 0;
const COUNTS = 1;

/**
 * The records of a period, from the oldest to the newest; those of one timestamp by `camera_ref` ascending.
 *
 * A record follows from the seed number, the interval, its camera and its slot; its id also from the number of
 * cameras. So a longer period only adds records. Memory holds one slot, however long the period is.
 *
 * @throws RangeError if the period starts before 2019-01-01 UTC, or an option is out of its range
 */
export function* generateRecords(period: Period): Generator<TrafficRecord, void> {
  const { seed, from, to, count, interval } = checked(period);
  const all = cameras(count, seed);
  const order = orderOf(count, seed);
  for (const slot of slots(from, to, interval)) {
    const records: TrafficRecord[] = [];
    for (const camera of all) {
      const time = captureTime(slot, camera.mast);
      if (time < from || time >= to || isMissing(camera, slot, time)) continue;
      records.push(
        recordOf(camera, slot, time, slot.number * count + rankIn(order, slot.number, camera) + 1),
      );
    }
    yield* records.sort(byTime);
  }
}

/** The period in seconds since 1970-01-01 UTC, with every option in its range. */
function checked({ seed, from, to, cameras: count = CAMERAS, interval = INTERVAL }: Period) {
  if (!(from.getTime() >= EPOCH * 1000)) throw new RangeError("from must be a date since 2019-01-01 UTC");
  if (Number.isNaN(to.getTime())) throw new RangeError("to must be a date");
  if (seed !== seed >>> 0) throw new RangeError("seed must be a whole number, 0 to 4294967295");
  if (!isPositive(count)) throw new RangeError("cameras must be a whole number, 1 or more");
  if (!isPositive(interval)) throw new RangeError("interval must be a whole number of minutes, 1 or more");
  return { seed, from: from.getTime() / 1000, to: to.getTime() / 1000, count, interval };
}

function isPositive(value: number): boolean {
  return Number.isInteger(value) && value > 0;
}

function isMissing({ key, absences }: Camera, slot: Slot, time: number): boolean {
  return uniform(hash(key, slot.number), GAP) < MISSING || inSpell(absences, time);
}

function recordOf(camera: Camera, slot: Slot, time: number, id: number): TrafficRecord {
  const failing = inSpell(camera.failures, time);
  const counts = failing
    ? NO_COUNTS
    : countsOf(camera, hash(hash(camera.key, slot.number), COUNTS), slot.rhythm);
  return {
    id,
    camera_pk: camera.camera_pk,
    camera_ref: camera.camera_ref,
    timestamp: `${new Date(time * 1000).toISOString().slice(0, 19)}Z`,
    camera_ok: time < HEALTH_SINCE ? null : failing ? "False" : "True",
    ...counts,
    model_name: "tf1",
  };
}

function byTime(one: TrafficRecord, other: TrafficRecord): number {
  if (one.timestamp !== other.timestamp) return one.timestamp < other.timestamp ? -1 : 1;
  return one.camera_ref < other.camera_ref ? -1 : 1;
}
