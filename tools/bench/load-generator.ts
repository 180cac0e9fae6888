import autocannon from "autocannon";

const CONNECTIONS = 8;

/** The first responses, in which connections open and instances read the state again, do not count. */
const WARM_UP = 3 * CONNECTIONS;

/** A request for a page, and the only correct response. */
export interface PageRequest {
  url: string;
  body: string;
}

/** The result of a measurement. */
export interface Figures {
  /** Responses per second. */
  rps: number;
  p50_ms: number;
  p99_ms: number;
}

/**
 * Sends a request over 8 connections, again and again on each.
 * @param milliseconds at least; the measurement ends with the first response after them
 * @throws Error if any response is not a 200 with the correct body
 */
export async function measure({ url, body }: PageRequest, milliseconds: number): Promise<Figures> {
  // Autocannon's own histogram counts whole milliseconds, and most responses take less.
  const times: number[] = [];
  let [responses, startedAt, endedAt] = [0, 0, 0];
  const ends = { duration: 600, bailout: 1, sampleInt: 20 };
  const options = { url, connections: CONNECTIONS, expectBody: body, ...ends };
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(options, (error, finished) => (error ? reject(error) : resolve(finished)));
    instance.on("response", (_client, _status, _bytes, time) => {
      endedAt = performance.now();
      if (++responses > WARM_UP) times.push(time);
      else startedAt = endedAt;
      if (times.length > 0 && endedAt - startedAt >= milliseconds) instance.stop();
    });
  });
  const { errors, mismatches, non2xx } = result;
  if (errors + mismatches + non2xx > 0)
    throw new Error(
      `${url}: ${mismatches} wrong bodies, ${non2xx} wrong statuses, ${errors} failed requests`,
    );
  times.sort((one, other) => one - other);
  const percentile = (share: number) => times[Math.ceil(times.length * share) - 1] ?? Number.NaN;
  const rps = (1000 * times.length) / (endedAt - startedAt);
  return { rps, p50_ms: percentile(0.5), p99_ms: percentile(0.99) };
}
