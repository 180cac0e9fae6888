import { createHash } from "node:crypto";
import { listSeedFiles } from "../../data/load-content.ts";
import { type StageOptions, stage, stageRecords } from "../../data/staging.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/state.ts";

/** Shows what happens while files are read. */
export type Reporting = Pick<StageOptions, "openStep" | "warn">;

/** What a collection consists of: records, or files; by default the files of the seed. */
export interface Input extends Pick<StageOptions, "modelName"> {
  records?: unknown[] | undefined;
  files?: string[] | undefined;
}

/**
 * Checks records or files, and puts them into a store of their own.
 * @param version of the code, a part of the name of the load: the same input has the same name, also after a restart
 * @throws InputError
 */
export async function loadCollection(
  { records, files = listSeedFiles(), modelName }: Input,
  version: string,
  { warn = console.error, openStep }: Reporting,
): Promise<Store> {
  const staged = await (records ? stageRecords(records) : stage(files, { modelName, warn, openStep }));
  if (staged.zeroed > 0)
    warn(`Warning: ${staged.zeroed} records with camera_ok "False" had counts above 0, which are now 0.`);
  try {
    const digest = createHash("sha256").update(version);
    for (const { text } of staged.blocks()) digest.update(text);
    const load = digest.digest("hex").slice(0, 20);
    const { count, source } = staged;
    const state = { load, count, loaded_at: new Date().toISOString(), sequence: 1, source };
    return createMemoryStore(state, staged.blocks());
  } finally {
    staged.close();
  }
}
