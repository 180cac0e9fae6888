import { statisticsKey } from "../../../src/records/store/blocks.ts";
import type { Loaded } from "../target.ts";
import type { Deployment } from "../wrangler.ts";
import { getValues, readState } from "./namespace.ts";

/**
 * What the namespace holds, and undefined if that is nothing.
 * @throws if wrangler fails, with its message
 */
export async function readLoaded(deployment: Deployment): Promise<Loaded | undefined> {
  const stored = await readState(deployment);
  if (!stored) return undefined;
  const { version, count, loaded_at: loadedAt } = stored;
  const [text] = await getValues([statisticsKey(stored)], deployment);
  return {
    state: { version, count },
    loadedAt,
    statistics: text === undefined ? undefined : JSON.parse(text),
    bytes: undefined,
  };
}
