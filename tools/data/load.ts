import type { MaybeSnapshot } from "../../src/store/snapshot.ts";
import { openProgress, printNotice } from "../command-line/progress.ts";
import { formatValue, getMessage } from "../messages.ts";
import { describeCounts, type StagedCollection, type StageOptions, stageFiles } from "./staging/staging.ts";
import { formatDataCommand } from "./store-command.ts";
import type { StoreChoice } from "./stores/configuration.ts";
import { withLock, withMigratedStore } from "./stores/open-store.ts";
import {
  replaceCollection,
  UnknownOutcomeError,
  type WritableStore,
  type WriteOptions,
} from "./stores/writer.ts";

export type InputOptions = Pick<StageOptions, "strict" | "modelName" | "skipDuplicates">;

export type LoadOptions = InputOptions & Pick<StageOptions, "source"> & StoreChoice;

/**
 * Replaces the loaded records with the records of the files. All files are read, checked and sorted before anything is written.
 * @param files Paths, or `-` for standard input
 * @throws InputError if a line of the files is invalid
 * @throws Error if another process writes to the same local store, or if the store fails. The message reports which records are served.
 */
export function loadFiles(files: string[], options: LoadOptions): Promise<void> {
  return withLock(options, async () => {
    const outcome = { message: "Nothing was loaded." };
    // Prints the latest message: when a signal ends the process, there is no time to read a deployed store.
    const warn = () => printNotice(`Stopped. ${outcome.message}`);
    process.once("exit", warn);
    await replace(files, options, outcome).finally(() => process.off("exit", warn));
  });
}

/** @param outcome Updated during the load: its message describes the records that are served if the load ends at that moment */
async function replace(files: string[], options: LoadOptions, outcome: { message: string }): Promise<void> {
  const staged = await stageWithProgress(files, options);
  const unknown = `Could not determine which records are being served. To find out, run: ${formatDataCommand("info", options)}`;
  const onSwitch = () => {
    outcome.message = unknown;
  };
  try {
    await withMigratedStore(options, async ({ store }) => {
      const read = () => store.readCurrent().catch(() => undefined);
      const before = await read();
      await writeStaged(staged, store, { onSwitch }).catch(async (error) => {
        outcome.message = describeServed(before?.snapshot, (await read())?.snapshot, error) ?? unknown;
        throw error;
      });
    });
  } catch (cause) {
    throw new Error(`${getMessage(cause)}\n${outcome.message}`, { cause });
  } finally {
    staged.close();
  }
  console.log(`Loaded ${describeCounts(staged)}.`);
}

/** Describes the served records after a failed load. Returns undefined if the served records are unknown. */
function describeServed(before?: MaybeSnapshot, after?: MaybeSnapshot, error?: unknown): string | undefined {
  const isSame = after?.id === before?.id;
  if (!before || !after || (isSame && error instanceof UnknownOutcomeError)) return undefined;
  if (after.id === null) return "Nothing is loaded.";
  if (isSame) return "The previous records are still being served.";
  const name = `${formatValue(after.source, 110)}, loaded at ${after.loaded_at}`;
  return `Other records are being served: ${name}. To replace them, run the command again.`;
}

/** Writes the staged records, and shows the progress. */
async function writeStaged(
  staged: StagedCollection,
  store: WritableStore,
  options: WriteOptions,
): Promise<void> {
  const { update, close } = openProgress("writing", { total: staged.count });
  const onWarning = (message: string) => printNotice(`Warning: ${message}`);
  const onWait = (seconds: number) => {
    close();
    printNotice(`Waiting ${seconds} seconds until all KV locations can see the new values.`);
  };
  const writing = replaceCollection(store, staged, { ...options, onProgress: update, onWait, onWarning });
  await writing.finally(close);
}

/**
 * Reports the problems that `load` would report, without loading the files.
 * @throws InputError if a line of the files is invalid
 */
export async function checkFiles(files: string[], options: InputOptions): Promise<void> {
  const staged = await stageWithProgress(files, options, "The files cannot be loaded.");
  console.log(`${describeCounts(staged)} can be loaded.`);
  staged.close();
}

/** @param conclusion The last line of the error message if a line of the files is invalid */
function stageWithProgress(
  files: string[],
  options: InputOptions,
  conclusion?: string,
): Promise<StagedCollection> {
  return stageFiles(files, { ...options, openStep: openProgress, warn: printNotice, conclusion });
}
