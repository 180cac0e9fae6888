import { setTimeout } from "node:timers/promises";
import { z } from "zod";

/** Times in milliseconds. */
export interface WaitOptions {
  timeout: number;
  /** The pause between two requests. */
  interval: number;
}

/** A new name on workers.dev becomes reachable after a minute or two. */
const DEFAULT_WAIT: WaitOptions = { timeout: 180_000, interval: 2_000 };

/** After a deployment, the platform serves the old and the new version side by side for some seconds. */
const CONSECUTIVE_RESPONSES = 3;

/** A version of the worker that was deployed. */
export interface Deployed {
  /** The address of the service, without a path. */
  address: string;
  /** The id of the version; undefined if wrangler does not report it. */
  version: string | undefined;
  /** An address that always serves this version, if there is one. */
  versionAddress?: string | undefined;
}

const Health = z.object({ code: z.object({ id: z.string().nullish() }).optional() });

/** A response of `GET /healthz`: the id of the version, or why the request failed. */
type HealthResponse = { ok: true; id: string | undefined } | { ok: false; reason: string };

/**
 * Waits until the service responds, and with the deployed version if `/healthz` reports versions.
 * @returns a description of the outcome, to be printed
 * @throws if the service does not respond in time, or still reports another version
 */
export async function waitForVersion(deployed: Deployed, wait: WaitOptions = DEFAULT_WAIT): Promise<string> {
  const { address } = deployed;
  const expected = deployed.version ?? (await readVersion(deployed.versionAddress, wait));
  const deadline = Date.now() + wait.timeout;
  for (let consecutive = 0; ; await setTimeout(wait.interval)) {
    const response = await requestHealth(address);
    const serves =
      response.ok && response.id !== undefined && (expected === undefined || response.id === expected);
    consecutive = serves ? consecutive + 1 : 0;
    if (consecutive === CONSECUTIVE_RESPONSES)
      return expected === undefined ? `${address} responds` : `${address} serves ${expected}`;
    // The new version may appear just before the deadline: then it still gets the time to be confirmed.
    if (!serves && Date.now() > deadline) return describeTimeout(address, expected, response);
  }
}

/**
 * Describes the last response before the deadline. A service that does not report its version may be fine.
 * @throws if the service does not respond, or reports another version
 */
function describeTimeout(address: string, expected: string | undefined, response: HealthResponse): string {
  if (!response.ok) throw createHealthError(address, response.reason);
  if (response.id === undefined) return `${address} responds, but does not report its version`;
  throw new Error(`${address}/healthz still reports version ${response.id} instead of ${expected}.`);
}

async function readVersion(address: string | undefined, wait: WaitOptions): Promise<string | undefined> {
  if (address === undefined) return undefined;
  const deadline = Date.now() + wait.timeout;
  for (;;) {
    const response = await requestHealth(address);
    if (response.ok) return response.id;
    if (Date.now() > deadline) throw createHealthError(address, response.reason);
    await setTimeout(wait.interval);
  }
}

function createHealthError(address: string, reason: string): Error {
  return new Error(`GET ${address}/healthz failed: ${reason}`);
}

async function requestHealth(address: string): Promise<HealthResponse> {
  try {
    const response = await fetch(new URL("/healthz", address), { signal: AbortSignal.timeout(10_000) });
    const text = await response.text();
    if (!response.ok) return { ok: false, reason: `status ${response.status}` };
    return { ok: true, id: Health.safeParse(JSON.parse(text)).data?.code?.id ?? undefined };
  } catch (error) {
    return { ok: false, reason: describeError(error) };
  }
}

/** The message of a failed `fetch` is always `fetch failed`; its cause contains the reason. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}, ${error.cause.message}` : error.message;
}
