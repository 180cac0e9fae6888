import { NOTHING_LOADED, UnusableSnapshotError } from "../../src/store/snapshot.ts";
import { print } from "../command-line/print.ts";
import { openProgress, printNotice } from "../command-line/progress.ts";
import { describeError, getMessage } from "../messages.ts";
import { InputError, NOT_LOADED } from "./formats/problem.ts";
import { formatSnapshot } from "./info.ts";
import { GENERATED } from "./snapshot-content.ts";
import { describeCounts, type StagedRecords, type StageOptions, stageFiles } from "./staging/staging.ts";
import type { StoreChoice } from "./stores/configuration.ts";
import { adviseInfo, withLock, withStore } from "./stores/open-store.ts";
import { findUsable, replaceCollection, UnknownOutcomeError, undoLoad } from "./stores/writer.ts";

interface LoadOptions extends Omit<StageOptions, "minRecords">, StoreChoice {
  minRecords?: number | "current" | undefined;
}

/**
 * Replaces the loaded records with the records of the files. All files are read, checked and sorted before anything is written.
 * @param files Paths, or `-` for standard input
 * @throws InputError if a line of the files is invalid
 * @throws Error if another process writes to the same local store, or if the store fails. The message says whether anything was loaded.
 */
export function loadFiles(files: string[], options: LoadOptions): Promise<void> {
  return withLock(options, async () => {
    let outcome = NOT_LOADED;
    const onSwitch = () => {
      outcome = adviseInfo(options);
    };
    // A signal ends the process without an error, and without time to ask a deployed store.
    const printOutcome = () => printNotice(`Stopped. ${outcome}`);
    process.once("exit", printOutcome);
    try {
      const minRecords = options.minRecords === "current" ? await readMinimum(options) : options.minRecords;
      const staged = await stageWithProgress(files, { ...options, minRecords });
      const replaced = await writeStaged(staged, options, onSwitch).finally(staged.close);
      const before = replaced.id === null ? "" : `, instead of ${replaced.count}`;
      print(`Loaded ${describeCounts(staged)}${before}.`);
    } catch (cause) {
      if (cause instanceof InputError || cause instanceof UnknownOutcomeError) throw cause;
      throw new Error(`${describeError(cause)}\n${NOT_LOADED}`, { cause });
    } finally {
      process.off("exit", printOutcome);
    }
  });
}

/**
 * Returns how many records are loaded, or undefined, with a notice, if none are of the user.
 * @throws Error also if the current snapshot cannot be used
 */
function readMinimum(choice: StoreChoice): Promise<number | undefined> {
  return withStore(choice, "read", async ({ store }) => {
    const { snapshot } = await store.readCurrent().catch((cause) => {
      if (!(cause instanceof UnusableSnapshotError)) throw cause;
      const advice = "Without `--min-records current`, a load replaces them.";
      throw new Error(`${getMessage(cause)} ${advice}`, { cause });
    });
    const { id, count, source } = snapshot;
    const isNothing = id === null;
    if (!isNothing && source !== GENERATED) return count;
    printNotice(`${isNothing ? "Nothing" : "Only the sample data"} is loaded, so there is no minimum.`);
    return undefined;
  });
}

/** @returns The replaced snapshot */
function writeStaged(staged: StagedRecords, choice: StoreChoice, onSwitch: () => void) {
  return withStore(choice, "write", async ({ store }) => {
    const replaced = await findUsable(() => store.readCurrent());
    const { update, close } = openProgress("writing", { total: staged.count });
    try {
      await replaceCollection(store, staged, {
        onProgress: update,
        onSwitch,
        onWarning: (message) => printNotice(`Warning: ${message}`),
        onWait(seconds) {
          close();
          printWait(seconds);
        },
      });
    } finally {
      close();
    }
    return replaced?.snapshot ?? NOTHING_LOADED;
  });
}

function printWait(seconds: number): void {
  printNotice(`Waiting ${seconds} seconds until all KV locations can see the latest values.`);
}

/**
 * Serves the records again that the last load has replaced.
 * @throws Error if there are none, if another process writes to the same local store, or if the store fails
 */
export function undo(choice: StoreChoice): Promise<void> {
  return withLock(choice, () =>
    withStore(choice, "write", async ({ name, location, store }) => {
      const result = await undoLoad(store, { onWait: printWait });
      if (result === undefined)
        throw new Error(
          `There is nothing to undo in the ${name} store (${location}): replaced records are kept until the next load, or an undo.`,
        );
      const { undone, restored } = result;
      print(`Restored ${formatSnapshot(restored)}, instead of ${formatSnapshot(undone)}.`);
    }),
  );
}

/**
 * Reports the problems that `load` would report, without loading the files.
 * @throws InputError if a line of the files is invalid
 */
export async function checkFiles(files: string[], options: StageOptions): Promise<void> {
  const staged = await stageWithProgress(files, options);
  print(`${describeCounts(staged)} can be loaded.`);
  staged.close();
}

function stageWithProgress(files: string[], options: StageOptions): Promise<StagedRecords> {
  return stageFiles(files, { ...options, openStep: openProgress, warn: printNotice });
}
