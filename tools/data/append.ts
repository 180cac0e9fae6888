import { describeSources } from "../../data/sources.ts";
import type { AppendBase } from "../../data/staging/append-base.ts";
import type { Staged } from "../../data/staging.ts";
import { readRecords, startOfDay } from "../../data/stored-records.ts";
import { useLock, useStore } from "../../data/stores/open.ts";
import type { OpenStore } from "../../data/stores/store-choice.ts";
import type { StateStatistics, Store } from "../../src/store/store.ts";
import { append as addRecords, requireAppends } from "../../src/store/writer.ts";
import {
  type LoadOptions,
  readFiles,
  replace,
  showChange,
  summarise,
  warnIfStopped,
  writeStaged,
} from "./load.ts";

export interface AppendOptions extends LoadOptions {
  /** Skip records that are loaded already, instead of refusing them. */
  skipKnown?: boolean | undefined;
}

/**
 * Adds the records of the files behind what is loaded, which stays as it is. If nothing is loaded, this is a load.
 * @param files paths; `-` is standard input
 * @throws InputError if any line of the files cannot be added
 * @throws Error if the store takes loads only
 */
export function append(files: string[], options: AppendOptions): Promise<void> {
  if (options.dryRun) return appendOrLoad(files, options);
  return useLock(options, () => appendOrLoad(files, options));
}

async function appendOrLoad(files: string[], options: AppendOptions): Promise<void> {
  const expected = await useStore(options, async (opened) => {
    requireAppends(opened.store);
    const base = await opened.store.readStatistics(true);
    if (base.state.load === "") return base.state;
    await warnIfStopped((onSwitch) => appendTo(opened, base, files, { ...options, onSwitch }));
    return undefined;
  });
  if (expected) await replace(files, { ...options, expected });
}

async function appendTo(
  opened: OpenStore,
  base: StateStatistics,
  files: string[],
  { onSwitch, ...options }: AppendOptions & { onSwitch: () => void },
): Promise<void> {
  const { store } = opened;
  const staged = await readFiles(files, options, conclude, continueFrom(store, base, options));
  if (options.dryRun) return showChange(staged, base);
  const sources = describeSources(files, options.source);
  await writeStaged(staged, opened, async (callbacks) => {
    if (staged.count > 0) await addRecords(store, staged, base, { ...callbacks, onSwitch, sources });
  });
  console.log(summariseAppend(staged, base.state.count));
}

function continueFrom(store: Store, base: StateStatistics, { skipKnown }: AppendOptions): AppendBase {
  const { state, statistics } = base;
  return {
    ...base,
    skipKnown: skipKnown ?? false,
    read: (since) =>
      readRecords(store, state, { from: since === undefined ? 1 : startOfDay(statistics, since) }),
  };
}

function conclude({ refused }: Staged): string {
  return `Nothing was added.${refused > 0 ? " Use --skip-known to skip records that are loaded already." : ""}`;
}

function summariseAppend(staged: Staged, before: number): string {
  const skipped = staged.skipped > 0 ? `Skipped ${staged.skipped} that are loaded already. ` : "";
  return `${skipped}Added ${summarise(staged)}; ${before + staged.count} are loaded.`;
}
