import type { Env } from "../env.ts";
import { openAppender } from "../store/appender.ts";
import type { Continued, Loaded } from "../store/store.ts";
import { nextRecords } from "./next-records.ts";

/**
 * Adds what is missing up to now as one append, all of it or nothing; after a long pause as much as one run may.
 * @param now when the run was due
 * @throws if nothing is loaded that could grow, if something else is loaded meanwhile, or if the store fails
 */
export async function runGrowth(env: Env, now: Date): Promise<void> {
  const appender = openAppender(env);
  const loaded = requireGrowing(await appender.loaded());
  const records = nextRecords(loaded.statistics, now);
  if (records.length === 0) return;
  await appender.append(records, loaded);
  console.log(`Added ${records.length} records; ${loaded.state.count + records.length} are loaded.`);
}

function requireGrowing(loaded: Loaded): Loaded & Continued {
  const { statistics } = loaded;
  if (loaded.state.version === 0) throw new Error("The collection does not grow: nothing was ever loaded.");
  if (statistics) return { ...loaded, statistics };
  throw new Error(
    "The collection does not grow: it has no statistics to go on from. Load all of it once more.",
  );
}
