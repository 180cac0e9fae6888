import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { HEALTH_PATH } from "../../src/views/site.ts";
import { fetchWhole } from "../command-line/client.ts";
import { print } from "../command-line/print.ts";
import { formatValue, getInnermostMessage } from "../messages.ts";

/** How many consecutive responses must report the new version. For some seconds, the platform serves the previous version, too. */
export const MIN_RESPONSES = 5;

/** How many consecutive errors show that the worker is broken. For some seconds, the previous version may fail, too. */
export const MAX_ERRORS = 40;

/** A new workers.dev subdomain, or the certificate of a new domain, is ready only after minutes. */
const TIMEOUT_MS = 600_000;

interface WaitOptions {
  /** By default, any version counts, for an address that serves only one. */
  version?: string;
  /** Tests wait for a shorter time. */
  intervalMs?: number;
}

/**
 * Waits until `/healthz` reports a version.
 * @throws Error if it does not in time, or if the worker fails
 */
export async function waitForVersion(
  address: string,
  { version, intervalMs = 500 }: WaitOptions = {},
): Promise<void> {
  const giveUpAt = Date.now() + TIMEOUT_MS;
  let ready = 0;
  let failed = 0;
  const printed = new Set<string>();
  const printOnce = (problem: string) => {
    if (!printed.has(problem)) print(`  waiting for up to ten minutes: ${problem}`);
    printed.add(problem);
  };
  for (;;) {
    const health = await readHealth(address + HEALTH_PATH, version);
    ready = health.kind === "ready" ? ready + 1 : 0;
    failed = health.kind === "failed" ? failed + 1 : 0;
    if (ready === MIN_RESPONSES) return;
    if (health.kind !== "ready") {
      if (failed === MAX_ERRORS || Date.now() >= giveUpAt) throw new Error(health.problem);
      printOnce(health.problem);
    }
    await setTimeout(intervalMs);
  }
}

/** `failed` is an error of the worker itself. */
type Health = { kind: "ready" } | { kind: "waiting" | "failed"; problem: string };

/** The parts of the response that count here. A body that is not from the service has none of them, or a detail with any text. */
const HealthBody = z
  .object({
    code: z.object({ id: z.string().regex(/^[\w-]{1,64}$/) }).nullish(),
    detail: z.string().optional(),
  })
  .catch({});

async function readHealth(url: string, version?: string): Promise<Health> {
  try {
    const request = new Request(url, { redirect: "manual", signal: AbortSignal.timeout(10_000) });
    const response = await fetchWhole(request);
    const { status, ok, headers } = response;
    const location = headers.get("Location");
    // The worker does not redirect. A login does, such as that of Cloudflare Access.
    if (location !== null) {
      const problem = `${url} redirects to ${formatValue(location, 200)}. It must need no login`;
      return { kind: "failed", problem };
    }
    const { code, detail } = HealthBody.parse(await response.json().catch(() => ({})));
    if (!ok || !code) {
      // 520 to 599 come from the platform, for a new domain or certificate.
      const isOfWorker = status >= 500 && status < 520;
      const reason = detail === undefined ? "no version" : formatValue(detail, 200);
      return { kind: isOfWorker ? "failed" : "waiting", problem: `${url} returned ${status}: ${reason}` };
    }
    if (version === undefined || code.id === version) return { kind: "ready" };
    return { kind: "waiting", problem: `${url} still reports version ${code.id} instead of ${version}` };
  } catch (error) {
    return { kind: "waiting", problem: `${url} did not respond: ${getInnermostMessage(error)}` };
  }
}
