import { DiskFullError, isDiskFull, RESERVED_BYTES } from "../../data/file-errors.ts";
import { formatCount } from "../../data/formatting.ts";
import { requireLoadable } from "../../data/input-error.ts";
import { describeSources } from "../../data/sources.ts";
import type { AppendBase } from "../../data/staging/append-base.ts";
import { type Staged, stage } from "../../data/staging.ts";
import { useLock, useStore } from "../../data/stores/open.ts";
import type { OpenStore, StoreChoice } from "../../data/stores/store-choice.ts";
import type { State, StateStatistics } from "../../src/store/store.ts";
import { load as replaceAll, UnknownOutcomeError, type WriteOptions } from "../../src/store/writer.ts";
import { openProgress, printNotice } from "../command-line/progress.ts";
import { describeChange } from "./dry-run.ts";

export interface ReadOptions {
  /** Refuse what would otherwise be corrected: counts of a `False` record that are not 0. */
  strict?: boolean | undefined;
  /** Serve records of other models as this one. */
  modelName?: "tf1" | undefined;
  /** Skip records with the camera and the timestamp of an earlier one, instead of refusing them. */
  skipDuplicates?: boolean | undefined;
}

export interface LoadOptions extends ReadOptions, StoreChoice {
  /** Where the records come from; by default the names of the files. */
  source?: string | undefined;
  /** Print what would change instead of writing. */
  dryRun?: boolean | undefined;
  /** The only state that may be replaced; by default any. */
  expected?: State | undefined;
}

const KEPT = "What was loaded before is still served.";
const UNKNOWN = "To see which records are served, run: npm run data -- info";

/**
 * Replaces what is loaded with the records of the files. Everything is read, compared and ordered before the first
 * byte is written; if anything is wrong, nothing is written.
 * @param files paths; `-` is standard input
 * @throws InputError if any line of the files cannot be loaded
 * @throws Error if another process writes to the same local store
 */
export function load(files: string[], options: LoadOptions): Promise<void> {
  if (options.dryRun) return replace(files, options);
  return useLock(options, () => replace(files, options));
}

/** Does what `load` does; the store must be locked. */
export function replace(files: string[], options: LoadOptions): Promise<void> {
  return warnIfStopped(async (onSwitch) => {
    const staged = await readFiles(files, options, () => "Nothing was loaded.");
    await useStore(options, async (opened) => {
      const { store } = opened;
      if (options.dryRun) return showChange(staged, await store.readStatistics(true));
      const { expected } = options;
      const sources = describeSources(files, options.source);
      await writeStaged(staged, opened, (callbacks) =>
        replaceAll(store, staged, {
          ...callbacks,
          onSwitch,
          sources,
          ...(expected && { expected }),
        }),
      );
      console.log(`Loaded ${summarise(staged)}.`);
    });
  });
}

/** Prints what a command would change, and removes the staged records. */
export function showChange(staged: Staged, { statistics }: StateStatistics): void {
  console.log(describeChange(staged, statistics));
  staged.close();
}

/**
 * Runs an action that writes. If a signal ends the process meanwhile, prints what that leaves.
 * @param action must call the function that it gets before it switches readers
 */
export async function warnIfStopped(action: (onSwitch: () => void) => Promise<void>): Promise<void> {
  let left = KEPT;
  const warn = () => printNotice(`Stopped. ${left}`);
  const onSwitch = () => {
    left = UNKNOWN;
  };
  process.once("exit", warn);
  await action(onSwitch).finally(() => process.off("exit", warn));
}

/**
 * Writes the staged records, and removes them from the staging.
 * @throws Error that says what the failure leaves
 */
export async function writeStaged(
  staged: Staged,
  { folder }: OpenStore,
  write: (callbacks: Pick<WriteOptions, "onProgress" | "onWarning">) => Promise<unknown>,
): Promise<void> {
  const progress = openProgress("writing", staged.count);
  try {
    await write({ onProgress: progress.update, onWarning: (message) => printNotice(`Warning: ${message}`) });
  } catch (cause) {
    // What was written is removed already.
    const error =
      folder !== undefined && isDiskFull(cause)
        ? new DiskFullError(folder, staged.bytes() + RESERVED_BYTES)
        : Object(cause);
    throw new Error(`${error.message ?? cause}\n${cause instanceof UnknownOutcomeError ? UNKNOWN : KEPT}`, {
      cause,
    });
  } finally {
    progress.close();
    staged.close();
  }
}

/**
 * Says what `load` would say of the files, without loading them.
 * @throws InputError if any line of the files could not be loaded
 */
export async function check(files: string[], options: ReadOptions): Promise<void> {
  const staged = await readFiles(files, options, () => "They cannot be loaded.");
  console.log(`${summarise(staged)} can be loaded.`);
  staged.close();
}

/**
 * Reads the files of a load.
 * @param conclude gives the last line of what a refusal says
 * @param appendBase what is loaded already, if the records are to be added to it
 * @throws InputError if any line of the files cannot be loaded
 */
export async function readFiles(
  files: string[],
  options: ReadOptions,
  conclude: (staged: Staged) => string,
  appendBase?: AppendBase,
): Promise<Staged> {
  const staged = await stage(files, {
    modelName: options.modelName,
    strict: options.strict ?? false,
    skipDuplicates: options.skipDuplicates,
    appendBase,
    openStep: (step, unit) => openProgress(step, undefined, { unit }),
    warn: printNotice,
  });
  return requireLoadable(staged, conclude);
}

/** How many records, how many of them were corrected, and how many were left out. */
export function summarise({ count, zeroed, duplicates }: Staged): string {
  const corrected = `${zeroed} of them with camera_ok "False" had counts above 0, which are now 0`;
  const skipped = `skipped ${duplicates} with the camera and the timestamp of an earlier one`;
  const remarks = [...(zeroed > 0 ? [corrected] : []), ...(duplicates > 0 ? [skipped] : [])];
  return `${formatCount(count, "record")}${remarks.length > 0 ? ` (${remarks.join("; ")})` : ""}`;
}
