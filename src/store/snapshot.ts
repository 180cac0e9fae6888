/** The result of a load. Its blocks, which contain the records and their statistics, are stored under its id and never change. */
export interface Snapshot {
  /** The time of the load followed by random characters; never used again. */
  id: string;
  count: number;
  /** When this snapshot became current, ISO 8601 in UTC; null if unknown. */
  loaded_at: string | null;
  /** The source of the records, percent-encoded, at most 100 characters; `generated` for the records of data/seed/README.md. */
  source: string;
}

/** Stands for the empty collection before the first load. */
export const NOTHING_LOADED = { id: null, count: 0, loaded_at: null, source: "" } as const;

/** The current snapshot, if anything was ever loaded. */
export type MaybeSnapshot = Snapshot | typeof NOTHING_LOADED;

/** Thrown if the stored current snapshot is not one. A load repairs it. */
export class DamagedSnapshotError extends Error {
  constructor(stored: string, options?: ErrorOptions) {
    super(`The current snapshot is damaged: ${stored.slice(0, 100)}. Load the records again.`, options);
  }
}

/**
 * Checks the stored current snapshot, because not only commands can write it.
 * @throws DamagedSnapshotError
 */
export function requireSnapshot(value: unknown): Snapshot {
  if (!isSnapshot(value)) throw new DamagedSnapshotError(String(JSON.stringify(value)));
  const { id, count, loaded_at, source } = value;
  return { id, count, loaded_at, source };
}

function isSnapshot(value: unknown): value is Snapshot {
  if (typeof value !== "object" || value === null) return false;
  const { id, count, loaded_at, source }: Partial<Record<keyof Snapshot, unknown>> = value;
  const isCount = typeof count === "number" && Number.isSafeInteger(count) && count >= 0;
  const isTime = typeof loaded_at === "string" || loaded_at === null;
  const areTexts = typeof id === "string" && typeof source === "string";
  return isCount && isTime && areTexts;
}

/**
 * Parses the JSON of the current snapshot.
 * @throws DamagedSnapshotError
 */
export function parseSnapshot(text: string): Snapshot {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DamagedSnapshotError(text, { cause });
  }
  return requireSnapshot(value);
}
