import { formatValue } from "../../data/messages.ts";
import { describeCounts, type StagedCollection, type StageOptions, stage } from "../../data/staging.ts";
import type { StoreChoice } from "../../data/writer/configuration.ts";
import { withLock, withMigratedStore } from "../../data/writer/open-store.ts";
import {
  replaceCollection,
  UnknownOutcomeError,
  type WritableStore,
  type WriteOptions,
} from "../../data/writer/writer.ts";
import type { State } from "../../src/store/state.ts";
import { openProgress, printNotice } from "../command-line/progress.ts";
import { formatDataCommand } from "../store-command.ts";

export type InputOptions = Pick<StageOptions, "strict" | "modelName" | "skipDuplicates">;

export type LoadOptions = InputOptions & Pick<StageOptions, "source"> & StoreChoice;

/**
 * Replaces what is loaded with the records of the files. Everything is read, compared and ordered before the first
 * byte is written; if anything is wrong, nothing is written.
 * @param files paths; `-` is standard input
 * @throws InputError if any line of the files cannot be loaded
 * @throws Error if another process writes to the same local store, or if the store fails; it says what is served then
 */
export function loadFiles(files: string[], options: LoadOptions): Promise<void> {
  return withLock(options, async () => {
    const outcome = { text: "Nothing was loaded." };
    // A process that is ended by a signal cannot read a deployed store any more.
    const warn = () => printNotice(`Stopped. ${outcome.text}`);
    process.once("exit", warn);
    await replace(files, options, outcome).finally(() => process.off("exit", warn));
  });
}

/** @param outcome gets what is true if the load does not succeed */
async function replace(files: string[], options: LoadOptions, outcome: { text: string }): Promise<void> {
  const staged = await stageFiles(files, options);
  const unknown = `It is not known which records are served. To find out, run: ${formatDataCommand("info", options)}`;
  const onSwitch = () => {
    outcome.text = unknown;
  };
  try {
    await withMigratedStore({ ...options, notify: printNotice }, async ({ store }) => {
      const read = () => store.readState({ fromPrimary: true }).catch(() => undefined);
      const before = await read();
      await writeStaged(staged, store, { onSwitch }).catch(async (error) => {
        outcome.text = describeServed(before?.state, (await read())?.state, error) ?? unknown;
        throw error;
      });
    });
  } catch (cause) {
    throw new Error(`${Object(cause).message ?? cause}\n${outcome.text}`, { cause });
  } finally {
    staged.close();
  }
  console.log(`Loaded ${describeCounts(staged)}.`);
}

/**
 * Says what is served after a load failed. What it wrote is removed already.
 * @returns undefined if that is not known
 */
function describeServed(before?: State, after?: State, error?: unknown): string | undefined {
  const isSame = after?.load === before?.load;
  if (!before || !after || (isSame && error instanceof UnknownOutcomeError)) return undefined;
  if (after.load === "") return "Nothing is loaded.";
  if (isSame) return "What was loaded before is still served.";
  const name = `${formatValue(after.source, 110)}, loaded at ${after.loaded_at}`;
  return `Another load is served now: ${name}. Running the command again replaces it.`;
}

/** Writes the staged records, and shows how many are written. */
async function writeStaged(
  staged: StagedCollection,
  store: WritableStore,
  options: WriteOptions,
): Promise<void> {
  const { update, close } = openProgress("writing", { total: staged.count });
  const onWarning = (message: string) => printNotice(`Warning: ${message}`);
  const onWait = (seconds: number) => {
    close();
    printNotice(`Waiting ${seconds} seconds, because KV shows late what was written.`);
  };
  const writing = replaceCollection(store, staged, { ...options, onProgress: update, onWait, onWarning });
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
function stageFiles(files: string[], options: InputOptions, conclusion?: string): Promise<StagedCollection> {
  return stage(files, { ...options, openStep: openProgress, warn: printNotice, conclusion });
}
