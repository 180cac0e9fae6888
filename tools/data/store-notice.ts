import { printNotice } from "../command-line/progress.ts";
import { readDeployedVersion } from "../deployed-worker.ts";
import { STORE_NAMES, type StoreChoice } from "./stores/configuration.ts";
import { readStoreConfiguration } from "./stores/open-store.ts";

/**
 * Runs a command. With `--remote`, prints the kind of the deployed store, and warns if the worker serves a different store. This
 * check runs beside the command, because wrangler needs seconds for it.
 */
export async function runWithStoreNotice(choice: StoreChoice, action: () => Promise<void>): Promise<void> {
  if (!choice.remote) return action();
  const { name } = await readStoreConfiguration(choice);
  printNotice(`Using the deployed ${name} store.`);
  // With --config, the store belongs to a preview, so the worker's store is not checked.
  const warned = choice.config === undefined ? warnIfNotServed(name) : undefined;
  await action().finally(() => warned);
}

async function warnIfNotServed(name: string): Promise<void> {
  try {
    const served = (await readDeployedVersion())?.store;
    if (served === undefined || served === name) return;
    const isLoaded = STORE_NAMES.some((known) => known === served);
    const advice = isLoaded ? ` To use the ${served} store, add \`--store ${served}\`.` : "";
    printNotice(
      `Warning: The deployed worker serves the ${served} store, so its clients do not see the ${name} store.${advice}`,
    );
  } catch {
    printNotice("Warning: Could not determine which store the deployed worker serves.");
  }
}
