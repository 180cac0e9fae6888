import { openProgress } from "../cli/progress.ts";
import type { Statistics } from "../src/records/statistics.ts";
import type { Continued } from "../src/records/store/store.ts";
import { type LoadOptions, load, readFiles, summarise } from "./load.ts";
import type { Continuation, Staged } from "./staging.ts";
import type { Loaded, Target } from "./targets/target.ts";
import { configuredStore, targets } from "./targets/targets.ts";

export interface AppendOptions extends LoadOptions {
  /** Pass over records that are not newer than what is loaded, rather than refuse them. */
  skipKnown?: boolean | undefined;
}

/**
 * Adds the records of the files behind what is loaded, which stays as it is. Where nothing is, it is a load.
 * @param files paths; `-` is standard input
 * @throws InputError if any line of the files cannot be added
 */
export async function append(files: string[], options: AppendOptions): Promise<void> {
  const target = targets[options.store ?? (await configuredStore())];
  const loaded = await target.read(options);
  if (!loaded) return load(files, options);
  const { state, statistics } = requireStatistics(loaded);
  const findIds: Continuation["findIds"] = (ids) => target.findIds(ids, state, options);
  const continuation = continueFrom(statistics, findIds, options);
  const staged = await readFiles(files, options, refusal(options), continuation);
  try {
    if (staged.count > 0) await write(staged, { state, statistics }, target, options);
    console.log(conclude(staged, state.count));
  } finally {
    staged.close();
  }
}

function requireStatistics({ state, statistics }: Loaded): Continued {
  if (statistics) return { state, statistics };
  throw new Error(
    "What is loaded has no statistics, which an append goes on from: load all of it once more.",
  );
}

function continueFrom(
  { last, largest_id, cameras }: Statistics,
  findIds: Continuation["findIds"],
  { skipKnown = false }: AppendOptions,
): Continuation {
  return { newest: last ?? "", largestId: largest_id ?? 0, cameras: new Map(cameras), skipKnown, findIds };
}

async function write(
  staged: Staged,
  loaded: Continued,
  target: Target,
  options: AppendOptions,
): Promise<void> {
  const progress = openProgress("writing", staged.count);
  await target
    .append(staged.records(), loaded, loaded.state.count + staged.count, options, progress.update)
    .catch((cause) => {
      const reason = cause instanceof Error ? cause.message : cause;
      throw new Error(`${reason}\nWhat was loaded before is still served.`, { cause });
    })
    .finally(progress.close);
}

function refusal({ skipKnown }: AppendOptions): string {
  return `Nothing was added.${skipKnown ? "" : " --skip-known passes over records that are not newer."}`;
}

function conclude(staged: Staged, before: number): string {
  const skipped = staged.skipped > 0 ? `Passed over ${staged.skipped} that are not newer. ` : "";
  return `${skipped}Added ${summarise(staged)}; ${before + staged.count} are loaded.`;
}
