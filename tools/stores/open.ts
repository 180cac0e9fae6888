import { readConfiguration, requireStore } from "../configuration.ts";
import { openLocalStore } from "./local.ts";
import { openRemoteStore } from "./remote.ts";
import type { OpenStore, StoreChoice } from "./store-choice.ts";

/**
 * Opens the store that a command means; its tables are created or brought up to date.
 * @throws Error if the configuration does not exist or names no store, or if the store cannot be opened
 */
export async function openStore(choice: StoreChoice): Promise<OpenStore> {
  const configuration = await readConfiguration(choice.config);
  const name = choice.store ?? requireStore(configuration.vars?.STORE, choice.config);
  return choice.remote
    ? openRemoteStore(name, choice)
    : openLocalStore(name, configuration, choice.persistTo);
}

/** Opens the store that a command means for as long as an action takes. */
export async function useStore<T>(
  choice: StoreChoice,
  action: (opened: OpenStore) => Promise<T>,
): Promise<T> {
  const opened = await openStore(choice);
  return action(opened).finally(() => opened.close());
}
