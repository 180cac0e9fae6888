/** What a load leaves behind: records and statistics that never change, under a name of their own. A later load replaces the snapshot. */
export interface Snapshot {
  /** Never used again; empty if nothing was ever loaded. */
  id: string;
  /** The number of records. */
  count: number;
  /** The time since which this snapshot is current, ISO 8601 in UTC; null if unknown. */
  loaded_at: string | null;
  /** The source of the records, at most 100 printable ASCII characters; `generated` for the seed. */
  source: string;
}

/** The snapshot of an empty store, before its first load. */
export const NOTHING_LOADED: Snapshot = { id: "", count: 0, loaded_at: null, source: "" };

/** Thrown if the stored description of the current snapshot is missing or invalid. A load repairs it. */
export class DamagedStateError extends Error {}

/**
 * Checks the stored description of a snapshot.
 * @throws DamagedStateError
 */
export function requireSnapshot(value: unknown): Snapshot {
  const { id, count, loaded_at, source } = Object(value);
  const areStrings = [id, loaded_at ?? "", source].every((value) => typeof value === "string");
  if (!areStrings || !Number.isSafeInteger(count) || count < 0)
    throw createDamagedStateError(JSON.stringify(value) ?? "it is missing");
  return { id, count, loaded_at: loaded_at ?? null, source };
}

/**
 * Parses the stored description of a snapshot.
 * @throws DamagedStateError
 */
export function parseSnapshot(text: string): Snapshot {
  try {
    return requireSnapshot(JSON.parse(text));
  } catch (cause) {
    throw createDamagedStateError(text.slice(0, 100), cause);
  }
}

function createDamagedStateError(value: string, cause?: unknown): DamagedStateError {
  return new DamagedStateError(`The stored state is damaged: ${value}. Load the records again.`, { cause });
}
