/** The result of a load. Its blocks, which contain the records and their statistics, are stored under its id and never change. */
export interface Snapshot {
  /** The time of the load followed by random characters; never used again. */
  id: string;
  count: number;
  /** When its load made it current, also after an undo, ISO 8601 in UTC; null if unknown. */
  loaded_at: string | null;
  /** The source of the records, percent-encoded, at most 100 characters; `generated` for the records of data/seed/README.md. */
  source: string;
}

/** Stands for the empty collection before the first load. */
export const NOTHING_LOADED = { id: null, count: 0, loaded_at: null, source: "" } as const;

/** The current snapshot, if anything was ever loaded. */
export type MaybeSnapshot = Snapshot | typeof NOTHING_LOADED;

/** The format of blocks and statistics. Increase it with each change, so that no version misreads the snapshots of another. */
export const FORMAT = 1;

/** Thrown if the stored current snapshot cannot be used. A load replaces it. */
export class UnusableSnapshotError extends Error {}

const OTHER_VERSION =
  "The stored records were made by another version of this project. Load them again, or use that version.";

/**
 * Checks the stored current snapshot, because not only commands of this version can write it.
 * @throws UnusableSnapshotError
 */
export function requireSnapshot(value: unknown): Snapshot {
  if (typeof value !== "object" || value === null) throw createDamageError(String(JSON.stringify(value)));
  const { format, id, count, loaded_at, source }: Partial<Record<keyof Snapshot | "format", unknown>> = value;
  if (format !== FORMAT) throw new UnusableSnapshotError(OTHER_VERSION);
  const isCount = typeof count === "number" && Number.isSafeInteger(count) && count >= 0;
  const isTime = typeof loaded_at === "string" || loaded_at === null;
  const areTexts = typeof id === "string" && typeof source === "string";
  if (isCount && isTime && areTexts) return { id, count, loaded_at, source };
  throw createDamageError(JSON.stringify(value));
}

/**
 * Parses the JSON of the current snapshot.
 * @throws UnusableSnapshotError
 */
export function parseSnapshot(text: string): Snapshot {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw createDamageError(text, { cause });
  }
  return requireSnapshot(value);
}

function createDamageError(stored: string, options?: ErrorOptions): UnusableSnapshotError {
  const message = `The current snapshot is damaged: ${stored.slice(0, 100)}. Load the records again.`;
  return new UnusableSnapshotError(message, options);
}
