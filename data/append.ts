import type { Continued } from "../src/store/store.ts";
import { askStore } from "./ask-store.ts";
import { type LoadOptions, load, readFiles, summarise, tellStop, writeStaged } from "./load.ts";
import type { AppendBase } from "./staging/append-base.ts";
import type { Staged } from "./staging.ts";
import { rangesSince } from "./targets/ranges.ts";
import type { Loaded, Target } from "./targets/target.ts";
import { chooseStore, targets } from "./targets/targets.ts";

export interface AppendOptions extends LoadOptions {
  /** Pass over records that are loaded, rather than refuse them. */
  skipKnown?: boolean | undefined;
}

/**
 * Adds the records of the files behind what is loaded, which stays as it is. Where nothing is, it is a load.
 * @param files paths; `-` is standard input
 * @throws InputError if any line of the files cannot be added
 */
export async function append(files: string[], options: AppendOptions): Promise<void> {
  const target = targets[await chooseStore(options)];
  const loaded = await askStore(target, options);
  if (!loaded) return load(files, options);
  const continued = requireStatistics(loaded);
  const { count } = continued.state;
  await tellStop(async () => {
    const staged = await readFiles(files, options, refuse, continueFrom(continued, target, options));
    await writeStaged(staged, async (onProgress) => {
      if (staged.count > 0)
        await target.append(staged.records(), continued, count + staged.count, options, onProgress);
    });
    console.log(conclude(staged, count));
  });
}

function requireStatistics({ state, statistics }: Loaded): Continued {
  if (statistics) return { state, statistics };
  throw new Error(
    "What is loaded has no statistics, which an append goes on from: load all of it once more.",
  );
}

function continueFrom(loaded: Continued, target: Target, options: AppendOptions): AppendBase {
  const { state, statistics } = loaded;
  return {
    newest: statistics.last ?? "",
    largestId: statistics.largest_id ?? 0,
    cameras: new Map(statistics.cameras),
    skipKnown: options.skipKnown ?? false,
    findIds: (ids) => target.findIds(ids, state, options),
    async *readSince(timestamp) {
      for (const range of rangesSince(loaded, timestamp))
        yield* await target.readRecords(state, range, options);
    },
  };
}

function refuse({ refused }: Staged): string {
  return `Nothing was added.${refused > 0 ? " --skip-known passes over records that are loaded already." : ""}`;
}

function conclude(staged: Staged, before: number): string {
  const skipped = staged.skipped > 0 ? `Passed over ${staged.skipped} that are loaded already. ` : "";
  return `${skipped}Added ${summarise(staged)}; ${before + staged.count} are loaded.`;
}
