import type { ForeignRecord } from "./check-page.ts";
import { createTable, show } from "./rules.ts";

/** What the records of earlier pages have shown. Only numbers are kept as ids, because other ids break a rule anyway. */
export const createComparison = () => ({
  table: createTable(),
  records: 0,
  ids: new Set<unknown>(),
  /** The latest record of each camera: what `show` returns, at most 200 characters. */
  cameras: new Map<number, { ref: string; time: string }>(),
});
type Comparison = ReturnType<typeof createComparison> & {
  oldest?: string;
  /** The timestamp of the newest record whose camera_ok is null. */
  newestNull?: string;
};

/** Compares a record with those before it. */
export function compareRecord(comparison: Comparison, record: ForeignRecord, asked: string): void {
  const { table, ids, cameras } = comparison;
  const { id, camera_pk, camera_ref, timestamp, camera_ok } = record;
  const check = table.at(asked);
  check("Record.id", !ids.has(id), () => show(id));
  if (ids.has(id)) return;
  comparison.records += 1;
  if (typeof id === "number") ids.add(id);
  if (typeof camera_pk === "number") {
    const [ref, time] = [show(camera_ref), show(timestamp)];
    const known = cameras.get(camera_pk) ?? { ref, time: "" };
    check("Record 4", known.ref === ref, () => `${known.ref} and ${ref}`);
    const isRepeated = timestamp !== undefined && known.time === time;
    check("Record 2", !isRepeated, () => `${time} again for camera ${camera_pk}`);
    cameras.set(camera_pk, { ref, time });
  }
  if (typeof timestamp !== "string" || timestamp.length !== 20) return;
  const { oldest = timestamp, newestNull = timestamp } = comparison;
  check("List records 2", timestamp <= oldest, () => `${show(timestamp)} after ${show(oldest)}`);
  comparison.oldest = timestamp;
  if (camera_ok === null) comparison.newestNull ??= timestamp;
  // Records of the same second can have any order, even if only some have a null camera_ok.
  else check("List records 4", timestamp >= newestNull, () => `null already at ${show(newestNull)}`);
}
