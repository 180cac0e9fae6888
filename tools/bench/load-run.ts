import autocannon from "autocannon";
import type { Asked } from "./cases.ts";

const CONNECTIONS = 8;

/** A busy machine may stall for longer than a short burst takes; one that answers nothing for this long is broken. */
const PATIENCE_SECONDS = 10;

/** How often autocannon looks whether the time is over. */
const SAMPLE_MS = 20;

/** What a burst of requests comes to. */
export interface Figures {
  /** Answers a second. */
  rps: number;
  p50_ms: number;
  p99_ms: number;
}

/**
 * Asks a case over 8 connections, on each one request after the other.
 * @param seconds how long, at least: the burst ends with the first answer after them
 * @throws if any answer is not a 200 with the right body
 */
export async function runLoad({ url, body }: Asked, seconds: number): Promise<Figures> {
  // Autocannon's own histogram counts whole milliseconds, which most answers take less than.
  const times: number[] = [];
  const startedAt = performance.now();
  let endedAt = startedAt;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options = {
      url,
      connections: CONNECTIONS,
      duration: seconds + PATIENCE_SECONDS,
      bailout: 1,
      sampleInt: SAMPLE_MS,
      expectBody: body,
    };
    const instance = autocannon(options, (error, finished) => (error ? reject(error) : resolve(finished)));
    instance.on("response", (_client, _status, _bytes, time) => {
      times.push(time);
      endedAt = performance.now();
      if (endedAt - startedAt >= seconds * 1000) instance.stop();
    });
  });
  requireRight(result, url);
  times.sort((one, other) => one - other);
  return {
    rps: times.length / ((endedAt - startedAt) / 1000),
    p50_ms: percentile(times, 0.5),
    p99_ms: percentile(times, 0.99),
  };
}

function requireRight(
  { errors, timeouts, mismatches, statusCodeStats = {} }: autocannon.Result,
  url: string,
) {
  const statuses = Object.keys(statusCodeStats);
  if (errors + timeouts + mismatches > 0 || String(statuses) !== "200")
    throw new Error(
      `${url}: ${errors} errors, ${timeouts} timeouts, ${mismatches} other bodies; statuses ${statuses.join(", ") || "none"}`,
    );
}

/** @param sorted at least one value, ascending */
function percentile(sorted: number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}
