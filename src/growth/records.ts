import { cameras } from "../generator/cameras.ts";
import { CAMERAS, generateRecords, SEED } from "../generator/records.ts";
import type { TrafficRecord } from "../records/record.ts";
import type { Statistics } from "../records/statistics.ts";
import { nextSlots } from "./period.ts";

/**
 * The records that a run adds: what the generator makes of the seed's cameras in the slots behind the newest record,
 * oldest first as they are numbered.
 * @param loaded what is loaded comes to
 * @param now when the run was due
 * @returns none if every slot up to now is loaded
 * @throws if what is loaded has one of the cameras by another camera_pk or camera_ref, or the largest id there is
 */
export function nextRecords({ last, largest_id, cameras }: Statistics, now: Date): TrafficRecord[] {
  requireAgreement(cameras);
  const slots = nextSlots(last, now);
  if (!slots) return [];
  const records = [...generateRecords({ seed: SEED, ...slots })];
  return moveIds(records, largest_id ?? 0).sort(byPosition);
}

/** For a camera_pk the camera_ref is constant (specification, "Record", rule 4), and so is the reverse. */
function requireAgreement(loaded: Statistics["cameras"]): void {
  const own = cameras(CAMERAS, SEED);
  const refs = new Map(own.map(({ camera_pk, camera_ref }) => [camera_pk, camera_ref]));
  const pks = new Map(own.map(({ camera_pk, camera_ref }) => [camera_ref, camera_pk]));
  for (const [pk, ref] of loaded) {
    if ((refs.get(pk) ?? ref) === ref && (pks.get(ref) ?? pk) === pk) continue;
    const camera = `camera_pk ${pk} is loaded with camera_ref ${JSON.stringify(ref)}`;
    throw new Error(
      `The collection does not grow: ${camera}, and the generator has one of them for another camera.`,
    );
  }
}

/** Makes the ids larger, all by the same, if there is a larger one in what is loaded. */
function moveIds(records: TrafficRecord[], largest: number): TrafficRecord[] {
  const distance = Math.max(0, largest + 1 - Math.min(...records.map(({ id }) => id)));
  if (distance === 0) return records;
  const moved = records.map((record) => ({ ...record, id: record.id + distance }));
  if (moved.every(({ id }) => Number.isSafeInteger(id))) return moved;
  throw new Error(`The collection does not grow: no ids are left above ${largest}.`);
}

/** From the oldest to the newest: inside a timestamp, newest first is by camera_ref ascending. */
function byPosition(one: TrafficRecord, other: TrafficRecord): number {
  if (one.timestamp !== other.timestamp) return one.timestamp < other.timestamp ? -1 : 1;
  return one.camera_ref < other.camera_ref ? 1 : -1;
}
