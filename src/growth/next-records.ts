import { createCameras } from "../generator/cameras.ts";
import { DEFAULT_CAMERA_COUNT, generateRecords, SEED } from "../generator/records.ts";
import type { TrafficRecord } from "../records/record.ts";
import type { Statistics } from "../records/statistics.ts";
import { nextPeriod } from "./period.ts";

/**
 * Generates the records that a run adds: those of the seed's cameras in the intervals after the newest record.
 * @param now when the run was due
 * @returns oldest first; empty if every interval up to now is loaded
 * @throws if one of the cameras is loaded with another camera_pk or camera_ref, or if the ids would not be safe integers
 */
export function nextRecords({ last, largest_id, cameras }: Statistics, now: Date): TrafficRecord[] {
  requireSameCameras(cameras);
  const period = nextPeriod(last, now);
  if (!period) return [];
  const records = [...generateRecords({ seed: SEED, ...period })];
  return shiftIds(records, largest_id ?? 0);
}

/** For a given camera_pk the camera_ref is constant (specification, "Record", rule 4), and the reverse. */
function requireSameCameras(loaded: Statistics["cameras"]): void {
  const generated = createCameras(DEFAULT_CAMERA_COUNT, SEED);
  const refs = new Map(generated.map(({ camera_pk, camera_ref }) => [camera_pk, camera_ref]));
  const pks = new Map(generated.map(({ camera_pk, camera_ref }) => [camera_ref, camera_pk]));
  for (const [pk, ref] of loaded) {
    if ((refs.get(pk) ?? ref) === ref && (pks.get(ref) ?? pk) === pk) continue;
    const camera = `camera_pk ${pk} is loaded with camera_ref ${JSON.stringify(ref)}`;
    throw new Error(
      `The collection cannot grow: ${camera}, but the generator uses one of the two for another camera.`,
    );
  }
}

/** Adds the same number to all ids, if that is necessary to make them larger than all loaded ids. */
function shiftIds(records: TrafficRecord[], largest: number): TrafficRecord[] {
  const distance = Math.max(0, largest + 1 - Math.min(...records.map(({ id }) => id)));
  if (distance === 0) return records;
  const shifted = records.map((record) => ({ ...record, id: record.id + distance }));
  if (shifted.every(({ id }) => Number.isSafeInteger(id))) return shifted;
  throw new Error(`The collection cannot grow: there are not enough ids above the largest one, ${largest}.`);
}
