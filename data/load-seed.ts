import { collectRecords } from "./collection.ts";
import { SEED_SOURCE, seedRecords } from "./seed.ts";
import { useLock, useStore } from "./stores/open.ts";
import type { StoreChoice } from "./stores/store-choice.ts";
import { load } from "./stores/writer.ts";

/**
 * Brings the tables of a store up to date, and loads the seed if nothing was ever loaded.
 * @throws Error if the store cannot be read or written, or if something else was loaded meanwhile
 */
export async function loadSeed(choice: StoreChoice): Promise<void> {
  await useStore(choice, async ({ store }) => {
    const { state } = await store.readState(undefined, true);
    if (state.load !== "") return;
    console.log("The store is empty; loading the seed.");
    const seed = collectRecords(seedRecords().reverse());
    await useLock(choice, () => load(store, seed, { isFirst: true, sources: [SEED_SOURCE] }));
    console.log(`Loaded ${seed.count} records.`);
  });
}
