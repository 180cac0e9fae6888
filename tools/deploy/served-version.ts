import { findReason } from "../conformance/retrying-client.ts";
import { printDetail } from "./steps.ts";

/** After a deployment, the platform serves the old and the new version side by side for some seconds. */
const CONSECUTIVE_RESPONSES = 3;

/** Milliseconds between two requests. */
const INTERVAL_MS = 2_000;

/** A new subdomain of workers.dev, or the certificate of a new domain, takes minutes. */
const TIMEOUT_MS = 600_000;

/**
 * Waits until the service responds three times in a row with a version. A service that does not report its version only has to
 * respond.
 * @param version undefined if the address serves one version only
 * @throws if it does not respond in time, or still reports another version
 */
export async function waitForVersion(address: string, version: string | null | undefined): Promise<void> {
  const giveUpAt = Date.now() + TIMEOUT_MS;
  let printed: string | undefined;
  for (let correct = 1; ; correct++) {
    const problem = await findProblem(`${address}/healthz`, version);
    if (problem !== undefined) {
      if (Date.now() >= giveUpAt) throw new Error(problem);
      if (problem !== printed) printDetail(`waiting for up to ten minutes: ${problem}`);
      printed = problem;
      correct = 0;
    }
    if (correct === CONSECUTIVE_RESPONSES) return;
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}

async function findProblem(url: string, version: string | null | undefined): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    if (!response.ok) return `GET ${url} failed: status ${response.status}`;
    const served = Object(Object(await response.json()).code).id;
    if (!served || !version || served === version) return undefined;
    return `${url} still reports version ${served} instead of ${version}.`;
  } catch (error) {
    return `GET ${url} failed: ${findReason(error)}`;
  }
}
