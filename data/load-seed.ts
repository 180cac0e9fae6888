import { listSeedFiles, SEED_SOURCE } from "./load-content.ts";
import { describeCounts, stage } from "./staging.ts";
import type { StoreChoice } from "./writer/configuration.ts";
import { withLock, withMigratedStore } from "./writer/open-store.ts";
import { replaceCollection } from "./writer/writer.ts";

/**
 * Brings the tables of a store up to date, and loads the files of the seed if nothing was ever loaded.
 * @throws InputError if any line of the files cannot be loaded
 * @throws Error if the store cannot be read or written, or if something else was loaded meanwhile
 */
export async function loadSeed(choice: StoreChoice): Promise<void> {
  await withMigratedStore(choice, async ({ store }) => {
    const isEmpty = async () => (await store.readState(undefined, true)).state.load === "";
    if (!(await isEmpty())) return;
    console.log("The store is empty; loading the seed.");
    const staged = await stage(listSeedFiles());
    const write = async () => {
      // Another process may have loaded something before it released the lock.
      if (!(await isEmpty())) return;
      await replaceCollection(store, staged, { isFirst: true, sources: [SEED_SOURCE] });
      console.log(`Loaded ${describeCounts(staged)}.`);
    };
    await withLock(choice, write).finally(staged.close);
  });
}
