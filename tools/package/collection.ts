import { createHash } from "node:crypto";
import { type Collection, collectRecords } from "../../data/collection.ts";
import type { StageOptions } from "../../data/staging.ts";
import type { ServiceOptions } from "./index.d.ts";

/** Records to load. */
export interface NamedCollection {
  collection: Collection;
  sources: string[];
  /** A hash of the records: the same input has the same hash, also after a restart. */
  hash: string;
  /** Frees the disk space that they take. */
  close?(): void;
}

/** Shows what happens while files are read. */
export type Reporting = Pick<StageOptions, "openStep" | "warn">;

/**
 * Reads and checks the records that a service begins with.
 * @throws InputError
 */
export async function readCollection(
  { records, files, modelName }: ServiceOptions,
  reporting: Reporting,
): Promise<NamedCollection> {
  if (records && files) throw new Error("A service has records or files, not both.");
  if (records) return checkRecords(records);
  if (files) return readFiles(files, modelName, reporting);
  const { SEED_SOURCE, seedRecords } = await import("../../data/seed.ts");
  return { collection: collectRecords(seedRecords().reverse()), sources: [SEED_SOURCE], hash: "seed" };
}

/** @throws InputError */
export async function checkRecords(given: Iterable<unknown>): Promise<NamedCollection> {
  const { requireRecords } = await import("../../data/records.ts");
  const records = requireRecords(given);
  const digest = createHash("sha256");
  for (const record of records) digest.update(JSON.stringify(record));
  return { collection: collectRecords(records.reverse()), sources: [], hash: digest.digest("hex") };
}

async function readFiles(
  files: string[],
  modelName: ServiceOptions["modelName"],
  { warn = console.error, openStep }: Reporting,
): Promise<NamedCollection> {
  importSqlite();
  const { stage } = await import("../../data/staging.ts");
  const { requireLoadable } = await import("../../data/input-error.ts");
  const { describeSources } = await import("../../data/sources.ts");
  const digest = createHash("sha256").update(String(modelName));
  const onRead = (chunk: Uint8Array) => digest.update(chunk);
  const staged = await stage(files, { modelName, strict: false, warn, openStep, onRead });
  requireLoadable(staged, "Nothing was loaded.");
  if (staged.zeroed > 0)
    warn(`Warning: ${staged.zeroed} records with camera_ok "False" had counts above 0, which are now 0.`);
  const sources = describeSources(files, undefined);
  return { collection: staged, sources, hash: digest.digest("hex"), close: staged.close };
}

/** Imports SQLite without the warning that it is experimental, which says nothing to users of the package. */
function importSqlite(): void {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
