import autocannon from "autocannon";
import type { PreparedCase } from "./cases.ts";

const CONNECTIONS = 8;

/** A busy machine may stall for longer than a run takes; without a response for this long, something is broken. */
const STALL_SECONDS = 10;

/** How often autocannon checks whether the time is over. */
const SAMPLE_MS = 20;

/** The result of a run. */
export interface Figures {
  /** Responses per second. */
  rps: number;
  p50_ms: number;
  p99_ms: number;
}

/**
 * Sends the request of a case over 8 connections, one after the other on each.
 * @param seconds at least; the run ends with the first response after them
 * @throws Error if any response is not a 200 with the correct body
 */
export async function runLoad({ url, body }: PreparedCase, seconds: number): Promise<Figures> {
  // Autocannon's own histogram counts whole milliseconds, and most responses take less.
  const times: number[] = [];
  const startedAt = performance.now();
  let endedAt = startedAt;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options = {
      url,
      connections: CONNECTIONS,
      duration: seconds + STALL_SECONDS,
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
