import { describeCounts, type Staged, type StageOptions, stage } from "../../data/staging.ts";
import type { StoreChoice } from "../../data/writer/configuration.ts";
import { withLock, withMigratedStore } from "../../data/writer/open-store.ts";
import {
  replaceCollection as replaceAll,
  UnknownOutcomeError,
  type WritableStore,
  type WriteOptions,
} from "../../data/writer/writer.ts";
import { openProgress, printNotice } from "../command-line/progress.ts";

export type InputOptions = Pick<StageOptions, "strict" | "modelName" | "skipDuplicates">;

export type LoadOptions = InputOptions & Pick<StageOptions, "source"> & StoreChoice;

const KEPT = "What was loaded before is still served.";
const UNKNOWN = "To see which records are served, run: npm run data -- info";

/**
 * Replaces what is loaded with the records of the files. Everything is read, compared and ordered before the first
 * byte is written; if anything is wrong, nothing is written.
 * @param files paths; `-` is standard input
 * @throws InputError if any line of the files cannot be loaded
 * @throws Error if another process writes to the same local store
 */
export function loadFiles(files: string[], options: LoadOptions): Promise<void> {
  return withLock(options, () => warnIfStopped((onSwitch) => replace(files, options, onSwitch)));
}

async function replace(files: string[], options: LoadOptions, onSwitch: () => void): Promise<void> {
  const staged = await stageFiles(files, options);
  try {
    await withMigratedStore(options, ({ store }) => writeStaged(staged, store, { onSwitch }));
  } catch (cause) {
    // What was written is removed already.
    const outcome = cause instanceof UnknownOutcomeError ? UNKNOWN : KEPT;
    throw new Error(`${Object(cause).message ?? cause}\n${outcome}`, { cause });
  } finally {
    staged.close();
  }
  console.log(`Loaded ${describeCounts(staged)}.`);
}

/**
 * Runs an action that writes. If a signal ends the process meanwhile, prints what that leaves.
 * @param action must call the function that it gets before it switches readers
 */
async function warnIfStopped(action: (onSwitch: () => void) => Promise<void>): Promise<void> {
  let left = KEPT;
  const warn = () => printNotice(`Stopped. ${left}`);
  const onSwitch = () => {
    left = UNKNOWN;
  };
  process.once("exit", warn);
  await action(onSwitch).finally(() => process.off("exit", warn));
}

/** Writes the staged records, and shows how many are written. */
async function writeStaged(staged: Staged, store: WritableStore, options: WriteOptions): Promise<void> {
  const { update, close } = openProgress("writing", { total: staged.count });
  const onWarning = (message: string) => printNotice(`Warning: ${message}`);
  const onWait = (seconds: number) => {
    close();
    printNotice(`Waiting ${seconds} seconds, because KV shows late what was written.`);
  };
  const writing = replaceAll(store, staged, { ...options, onProgress: update, onWait, onWarning });
  await writing.finally(close);
}

/**
 * Says what `load` would say of the files, without loading them.
 * @throws InputError if any line of the files could not be loaded
 */
export async function checkFiles(files: string[], options: InputOptions): Promise<void> {
  const staged = await stageFiles(files, options, "They cannot be loaded.");
  console.log(`${describeCounts(staged)} can be loaded.`);
  staged.close();
}

/**
 * Reads the files of a load.
 * @param conclusion the last line of what a refusal says
 * @throws InputError if any line of the files cannot be loaded
 */
function stageFiles(files: string[], options: InputOptions, conclusion?: string): Promise<Staged> {
  return stage(files, { ...options, openStep: openProgress, warn: printNotice, conclusion });
}
