import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { hashContent } from "../data/collection.ts";
import { listSeedFiles } from "../data/seed-files.ts";
import { type StageOptions, stageFiles, stageRecords } from "../data/staging/staging.ts";
import type { ServiceOptions } from "./index.d.ts";

/** What to serve. The records are not checked yet. */
export interface CollectionOptions extends Pick<ServiceOptions, "files" | "modelName"> {
  records?: unknown[] | undefined;
}

/** Reports the progress and the warnings of a load. */
export type LoadReporting = Pick<StageOptions, "openStep" | "warn">;

/**
 * Checks the given records or files, by default the sample data, and stores the records in memory.
 * @param version The version of the code. The id of the snapshot is a hash of the version and the records, so a restart does not change it.
 * @throws InputError if a record is invalid
 */
export async function loadCollection(
  { records, files = listSeedFiles(), modelName }: CollectionOptions,
  version: string,
  { warn = console.error, openStep }: LoadReporting,
): Promise<Store> {
  const staged = await (records ? stageRecords(records) : stageFiles(files, { modelName, warn, openStep }));
  if (staged.zeroed > 0)
    warn(`Warning: set the counts of ${staged.zeroed} records with camera_ok "False" to 0.`);
  try {
    const { count, source, blocks } = staged;
    const id = hashContent(version, blocks());
    return createMemoryStore({ id, count, loaded_at: new Date().toISOString(), source }, blocks());
  } finally {
    staged.close();
  }
}
