import { z } from "zod";
import type { Dependencies } from "./dependencies.ts";

/** After a deployment, the platform serves the old and the new version side by side for some seconds. */
const CONSECUTIVE_RESPONSES = 3;

/** Milliseconds between two requests. */
const INTERVAL = 2_000;

/** Milliseconds until a new name on workers.dev is reachable, and until a new custom domain has its certificate too. */
const TIMEOUTS = { workersDev: 180_000, customDomain: 600_000 };

const Health = z.object({ code: z.object({ id: z.string().nullish() }).nullish() });

/**
 * Waits until the service responds three times in a row with a version. A service that does not report its version only has to
 * respond.
 * @param version undefined if the address serves one version only
 * @throws if it does not respond in time, or still reports another version
 */
export async function waitForVersion(
  address: string,
  version: string | undefined,
  sleep: Dependencies["sleep"],
): Promise<void> {
  const { workersDev, customDomain } = TIMEOUTS;
  const deadline = Date.now() + (address.endsWith(".workers.dev") ? workersDev : customDomain);
  for (let correct = 0; correct < CONSECUTIVE_RESPONSES; await sleep(INTERVAL)) {
    const problem = await findProblem(address, version);
    correct = problem === undefined ? correct + 1 : 0;
    // The new version may appear just before the deadline: then it still gets the time to be confirmed.
    if (problem !== undefined && Date.now() >= deadline) throw new Error(problem);
  }
}

async function findProblem(address: string, version: string | undefined): Promise<string | undefined> {
  try {
    const served = await readVersion(address);
    if (served === undefined || version === undefined || served === version) return undefined;
    return `${address}/healthz still reports version ${served} instead of ${version}.`;
  } catch (error) {
    // The message of a failed `fetch` is always `fetch failed`; its cause contains the reason.
    const { message, cause } = Object(error);
    return `GET ${address}/healthz failed: ${cause instanceof Error ? cause.message : message}`;
  }
}

/** @throws if the service does not respond with its health */
async function readVersion(address: string): Promise<string | undefined> {
  const response = await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return Health.parse(await response.json()).code?.id ?? undefined;
}
