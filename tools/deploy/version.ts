import { setTimeout } from "node:timers/promises";
import { z } from "zod";

/** How patient the wait for a new version is, in milliseconds. */
export interface Waiting {
  /** At most so long; a new name on workers.dev takes a minute or two to be known. */
  timeout: number;
  /** From one request to the next. */
  interval: number;
}

export const WAITING: Waiting = { timeout: 180_000, interval: 2_000 };

/** Answers of the new version in a row: for some seconds the platform's machines differ. */
const IN_A_ROW = 3;

/** What was deployed, and where. */
export interface Published {
  /** The address of the service, without a path. */
  address: string;
  /** The id of its version; undefined if wrangler does not say. */
  version: string | undefined;
  /** An address that always serves this version, if there is one. */
  fixed?: string | undefined;
}

const Health = z.object({ code: z.object({ id: z.string().nullish() }).optional() });

/** What `GET /healthz` said last: the version's id, or why there is none. */
type Answer = { ok: true; id: string | undefined } | { ok: false; reason: string };

/**
 * Waits until the service answers, and with the version that was deployed if `/healthz` says which it is.
 * @returns what is known of it, in words
 * @throws if it does not answer in time, or with another version
 */
export async function awaitVersion(published: Published, waiting: Waiting = WAITING): Promise<string> {
  const expected = published.version ?? (await readFixed(published.fixed, waiting));
  const address = published.address;
  const deadline = Date.now() + waiting.timeout;
  for (let row = 0; ; await setTimeout(waiting.interval)) {
    const answer = await ask(address);
    row =
      answer.ok && answer.id !== undefined && (expected === undefined || answer.id === expected)
        ? row + 1
        : 0;
    if (row === IN_A_ROW)
      return expected === undefined ? `${address} answers` : `${address} answers with ${expected}`;
    // Answers that are right are heard out.
    if (row === 0 && Date.now() > deadline) return settle(address, expected, answer);
  }
}

/** Time is up: that the service does not say its version is no failure, all else is. */
function settle(address: string, expected: string | undefined, answer: Answer): string {
  if (!answer.ok) throw new Error(`${address}/healthz does not answer as it should: ${answer.reason}`);
  if (answer.id === undefined) return `${address} answers, but does not say with which version`;
  throw new Error(`${address}/healthz still answers with version ${answer.id}, not with ${expected}.`);
}

async function readFixed(address: string | undefined, waiting: Waiting): Promise<string | undefined> {
  if (address === undefined) return undefined;
  const deadline = Date.now() + waiting.timeout;
  for (;;) {
    const answer = await ask(address);
    if (answer.ok) return answer.id;
    if (Date.now() > deadline) return settle(address, undefined, answer);
    await setTimeout(waiting.interval);
  }
}

async function ask(address: string): Promise<Answer> {
  try {
    const response = await fetch(new URL("/healthz", address), { signal: AbortSignal.timeout(10_000) });
    const text = await response.text();
    if (!response.ok) return { ok: false, reason: `status ${response.status}` };
    return { ok: true, id: Health.safeParse(JSON.parse(text)).data?.code?.id ?? undefined };
  } catch (error) {
    return { ok: false, reason: describe(error) };
  }
}

/** `fetch failed` says nothing, its cause does. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}, ${error.cause.message}` : error.message;
}
