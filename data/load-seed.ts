import { load } from "../src/store/writer.ts";
import { SEED_SOURCE, seedRecords } from "./seed.ts";
import { useLock, useStore } from "./stores/open.ts";
import type { StoreChoice } from "./stores/store-choice.ts";

/**
 * Brings the tables of a store up to date, and loads the seed if the store is empty.
 * @throws Error if the store cannot be read or written, or if something else was loaded meanwhile
 */
export async function loadSeed(choice: StoreChoice): Promise<void> {
  await useStore(choice, async ({ store }) => {
    const expected = await store.readState({ newest: true });
    if (expected.load !== "") return;
    console.log("The store is empty; loading the seed.");
    const records = seedRecords();
    await useLock(choice, () => load(store, records, { expected, sources: [SEED_SOURCE] }));
    console.log(`Loaded ${records.length} records.`);
  });
}
