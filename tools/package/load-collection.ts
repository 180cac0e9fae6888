import { hashContent, listSeedFiles } from "../../data/load-content.ts";
import { type StageOptions, stage, stageRecords } from "../../data/staging.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/state.ts";
import type { ServiceOptions } from "./index.d.ts";

/** Shows what happens while files are read. */
export type LoadReporting = Pick<StageOptions, "openStep" | "warn">;

/**
 * Checks records or files, by default those of the seed, and puts them into a store of their own.
 * @param version of the code, a part of the name of the load: the same input has the same name, also after a restart
 * @throws InputError
 */
export async function loadCollection(
  { records, files = listSeedFiles(), modelName }: ServiceOptions,
  version: string,
  { warn = console.error, openStep }: LoadReporting,
): Promise<Store> {
  const staged = await (records ? stageRecords(records) : stage(files, { modelName, warn, openStep }));
  if (staged.zeroed > 0)
    warn(`Warning: ${staged.zeroed} records with camera_ok "False" had counts above 0, which are now 0.`);
  try {
    const { count, source, blocks } = staged;
    const load = hashContent(version, blocks());
    const state = { load, count, loaded_at: new Date().toISOString(), sequence: 1, source };
    return createMemoryStore(state, blocks());
  } finally {
    staged.close();
  }
}
