import { createHash } from "node:crypto";
import type { Staged, StageOptions } from "../../data/staging.ts";
import type { ServiceOptions } from "./index.d.ts";

/** Records to load. */
export interface NamedCollection {
  /** Must be closed. */
  staged: Staged;
  sources: string[];
  /** A hash of the records: the same input has the same hash, also after a restart. */
  hash: string;
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
  return records ? checkRecords(records) : readFiles(files, modelName, reporting);
}

/** @throws InputError */
export async function checkRecords(given: Iterable<unknown>): Promise<NamedCollection> {
  importSqlite();
  const { stageRecords } = await import("../../data/staging.ts");
  return toCollection(await stageRecords(given), []);
}

/** @param given by default the files of the seed */
async function readFiles(
  given: string[] | undefined,
  modelName: ServiceOptions["modelName"],
  { warn = console.error, openStep }: Reporting,
): Promise<NamedCollection> {
  importSqlite();
  const { stage } = await import("../../data/staging.ts");
  const { describeSources, listSeedFiles } = await import("../../data/sources.ts");
  const files = given ?? listSeedFiles();
  const staged = await stage(files, { modelName, strict: false, warn, openStep });
  if (staged.zeroed > 0)
    warn(`Warning: ${staged.zeroed} records with camera_ok "False" had counts above 0, which are now 0.`);
  return toCollection(staged, describeSources(files, undefined));
}

async function toCollection(staged: Staged, sources: string[]): Promise<NamedCollection> {
  const { requireLoadable } = await import("../../data/input-error.ts");
  requireLoadable(staged, "Nothing was loaded.");
  const digest = createHash("sha256");
  for (const { text } of staged.blocks()) digest.update(text);
  return { staged, sources, hash: digest.digest("hex") };
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
