import { type Configuration, readConfiguration, requireStore, type StoreName } from "./configuration.ts";
import { lockLocalStore, openLocalStore } from "./local.ts";
import { openRemoteStore } from "./remote.ts";
import type { OpenStore, StoreChoice } from "./store-choice.ts";

async function findStore(choice: StoreChoice): Promise<{ configuration: Configuration; name: StoreName }> {
  const configuration = await readConfiguration(choice.config);
  return { configuration, name: choice.store ?? requireStore(configuration.vars?.STORE, choice.config) };
}

/**
 * Runs an action that writes to the store that a command means, while no other command of this machine does. A deployed
 * store cannot be locked.
 * @throws Error if another process writes to the store
 */
export async function useLock<T>(choice: StoreChoice, action: () => Promise<T>): Promise<T> {
  if (choice.remote) return action();
  const { name } = await findStore(choice);
  const release = lockLocalStore(name, choice.persistTo);
  return action().finally(release);
}

/**
 * Opens the store that a command means for as long as an action takes. Its tables are created or brought up to date.
 * @throws Error if the configuration does not exist or names no store, or if the store cannot be opened
 */
export async function useStore<T>(
  choice: StoreChoice,
  action: (opened: OpenStore) => Promise<T>,
): Promise<T> {
  const { configuration, name } = await findStore(choice);
  const opened = choice.remote
    ? await openRemoteStore(name, choice)
    : await openLocalStore(name, configuration, choice.persistTo);
  return action(opened).finally(opened.close);
}
