import { getErrorMessage } from "../command-line/requests.ts";

/** How many consecutive responses must report the new version. For some seconds, the platform serves the previous version, too. */
const MIN_RESPONSES = 3;

/** How many consecutive errors show that the worker is broken. For some seconds, the previous version may fail, too. */
const MAX_ERRORS = 10;

const INTERVAL_MS = 2_000;

/** A new workers.dev subdomain, or the certificate of a new domain, is ready only after minutes. */
const TIMEOUT_MS = 600_000;

/**
 * Waits until `/healthz` reports a version.
 * @param version By default, any version counts, for an address that serves only one
 * @throws Error if it does not in time, or if the worker fails
 */
export async function waitForVersion(address: string, version?: string): Promise<void> {
  const giveUpAt = Date.now() + TIMEOUT_MS;
  let [correct, errors, printed] = [0, 0, ""];
  while (correct < MIN_RESPONSES) {
    const { problem, isError } = await readHealth(`${address}/healthz`, version);
    correct = problem === undefined ? correct + 1 : 0;
    errors = isError ? errors + 1 : 0;
    if (problem && (errors === MAX_ERRORS || Date.now() >= giveUpAt)) throw new Error(problem);
    if (problem && problem !== printed) console.log(`  waiting for up to ten minutes: ${problem}`);
    printed = problem ?? printed;
    if (correct < MIN_RESPONSES) await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}

async function readHealth(url: string, version?: string): Promise<{ problem?: string; isError?: boolean }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    const { code, detail = "no version" } = Object(await response.json().catch(() => undefined));
    // 520 to 599 come from the platform, for a new domain or certificate.
    const isError = response.status >= 500 && response.status < 520;
    if (!response.ok || !code?.id)
      return { problem: `${url} returned ${response.status}: ${detail}`, isError };
    if (version === undefined || code.id === version) return {};
    return { problem: `${url} still reports version ${code.id} instead of ${version}` };
  } catch (error) {
    return { problem: `${url} did not respond: ${getErrorMessage(error)}` };
  }
}
