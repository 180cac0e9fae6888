import { z } from "zod";
import { runWrangler } from "../wrangler.ts";
import { ADVICE } from "./advice.ts";
import { startJourney } from "./journey.ts";
import { findPlace, readConfiguration } from "./place.ts";
import type { Surroundings } from "./release.ts";
import { awaitVersion } from "./version.ts";

const Status = z.object({ versions: z.array(z.object({ version_id: z.string() })).min(1) });

export interface RollbackOptions {
  /** The version to go back to; by default the one before. */
  version?: string | undefined;
  /** Where clients reach the service, if PUBLIC_ORIGIN does not say. Without an address nothing is waited for. */
  url?: string | undefined;
}

/**
 * Lets production serve with an earlier version of the code. What is loaded stays.
 * @returns the id of the version that serves
 * @throws with what to do, if a step fails
 */
export async function rollBack(options: RollbackOptions, surroundings: Surroundings): Promise<string> {
  const { origin } = findPlace(await readConfiguration(), undefined);
  const address = options.url ?? origin;
  const program = surroundings.wrangler;
  const journey = startJourney(address === undefined ? 2 : 3, surroundings.say);
  surroundings.onStart?.(journey);
  await journey.step("go back", ADVICE.rollback, async () => {
    const version = options.version === undefined ? [] : [options.version];
    await runWrangler(["rollback", ...version, "--yes", "--message", "npm run rollback"], { program });
  });
  const version = await journey.step("ask which version serves", ADVICE.rollback, async (tell) => {
    const status = await runWrangler(["deployments", "status", "--json"], { program });
    const { versions } = Status.parse(JSON.parse(status));
    const [first] = versions.map(({ version_id }) => version_id);
    tell(String(first));
    return String(first);
  });
  if (address !== undefined)
    await journey.step("wait for it", ADVICE.rollback, async (tell) =>
      tell(await awaitVersion({ address, version }, surroundings.waiting)),
    );
  return version;
}
