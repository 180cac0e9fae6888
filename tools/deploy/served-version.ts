import { setTimeout } from "node:timers/promises";
import { printDetail } from "./steps.ts";

/** After a deployment, the platform serves the old and the new version side by side for some seconds. */
const CONSECUTIVE_RESPONSES = 3;

/** Milliseconds between two requests. */
const INTERVAL_MS = 2_000;

/** A new subdomain of workers.dev, or the certificate of a new domain, takes minutes. */
const TIMEOUT_MS = 600_000;

/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 30_000;

/**
 * Waits until the service responds three times in a row with a version. A service that does not report its version only has to
 * respond.
 * @param version undefined if the address serves one version only
 * @throws if it does not respond in time, or still reports another version
 */
export async function waitForVersion(
  address: string,
  version: string | null | undefined,
  sleep: (milliseconds: number) => Promise<unknown> = setTimeout,
): Promise<void> {
  const start = Date.now();
  let printed = start;
  for (let correct = 0; correct < CONSECUTIVE_RESPONSES; await sleep(INTERVAL_MS)) {
    const problem = await findProblem(address, version);
    correct = problem === undefined ? correct + 1 : 0;
    if (problem === undefined) continue;
    if (Date.now() - start >= TIMEOUT_MS) throw new Error(problem);
    if (Date.now() - printed < PROGRESS_MS) continue;
    printed = Date.now();
    printDetail(`waiting for up to ten minutes: ${problem}`);
  }
}

async function findProblem(address: string, version: string | null | undefined): Promise<string | undefined> {
  try {
    const served = await readVersion(address);
    if (!served || !version || served === version) return undefined;
    return `${address}/healthz still reports version ${served} instead of ${version}.`;
  } catch (error) {
    // The message of a failed `fetch` is always `fetch failed`; its cause contains the reason.
    const { message, cause } = Object(error);
    return `GET ${address}/healthz failed: ${cause instanceof Error ? cause.message : message}`;
  }
}

/** @throws if the service does not respond with its health */
async function readVersion(address: string): Promise<unknown> {
  const response = await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return Object(Object(await response.json()).code).id;
}
