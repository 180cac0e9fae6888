import { summarise } from "./input-error.ts";
import { SEED_SOURCE, stageSeed } from "./sources.ts";
import { useLock, useStore } from "./stores/open.ts";
import type { StoreChoice } from "./stores/store-choice.ts";
import { load } from "./stores/writer.ts";

/**
 * Brings the tables of a store up to date, and loads the files of the seed if nothing was ever loaded.
 * @throws InputError if any line of the files cannot be loaded
 * @throws Error if the store cannot be read or written, or if something else was loaded meanwhile
 */
export async function loadSeed(choice: StoreChoice): Promise<void> {
  await useStore(choice, async ({ store }) => {
    const { state } = await store.readState(undefined, true);
    if (state.load !== "") return;
    console.log("The store is empty; loading the seed.");
    const staged = await stageSeed("Nothing was loaded.");
    const options = { isFirst: true, sources: [SEED_SOURCE] };
    await useLock(choice, () => load(store, staged, options)).finally(staged.close);
    console.log(`Loaded ${summarise(staged)}.`);
  });
}
