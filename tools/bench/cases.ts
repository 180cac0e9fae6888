import { once } from "node:events";
import autocannon from "autocannon";
import { STORE_NAMES } from "../../data/writer/configuration.ts";

/**
 * What is measured. `baseline` and `store_baseline` are the least that a worker can do, and read no page. `hot` pages come from the
 * instance's memory. `cold` pages come from the store: the instance knows the state, and keeps no block and no page.
 * `wrangler_dev` is the service as `npm start` runs it, and `package` is the command of the package.
 */
type Case = { store: string | null; page: (typeof PAGES)[number] | null; mode: string };

const PAGES = ["first", "middle", "last"] as const;

const CASES: Case[] = [
  { store: null, page: null, mode: "baseline" },
  ...STORE_NAMES.flatMap((store): Case[] => [
    { store, page: null, mode: "store_baseline" },
    ...PAGES.map((page) => ({ store, page, mode: "cold" })),
    ...PAGES.map((page) => ({ store, page, mode: "hot" })),
  ]),
  { store: "d1", page: "middle", mode: "wrangler_dev" },
  { store: "memory", page: "middle", mode: "package" },
];

/** Responses per second, and percentiles of the time that a response takes. */
type Measurement = Record<"rps" | "p50_ms" | "p99_ms", number>;

/** A request for a page, and the only correct response. */
export type PageRequest = Record<"url" | "body", string>;

/** How often each case is measured, and for how long. */
export type BenchOptions = Record<"rounds" | "milliseconds", number>;

/**
 * Measures every case once a round, in another order each time, so that neither other work of the machine nor the case before slows
 * down some of them more than others.
 * @returns medians of the rounds
 */
export async function measureCases(
  { rounds, milliseconds }: BenchOptions,
  request: (one: Case) => Promise<PageRequest>,
): Promise<(Case & Measurement)[]> {
  const measured = CASES.map((one) => ({ one, found: [] as Measurement[] }));
  for (let round = 1; round <= rounds; round++) {
    console.error(`round ${round} of ${rounds}`);
    for (const { one, found } of measured.toSorted(() => Math.random() - 0.5))
      found.push(await measureRequest(await request(one), milliseconds));
  }
  return measured.map(({ one, found }) => {
    const median = (name: keyof Measurement) => {
      const values = found.map((figures) => figures[name]);
      return roundToThreeDigits(percentile(0.5, values));
    };
    return { ...one, rps: median("rps"), p50_ms: median("p50_ms"), p99_ms: median("p99_ms") };
  });
}

const CONNECTIONS = 8;

/** The first responses, in which connections open and instances read the state again, do not count. */
const WARM_UP = 3 * CONNECTIONS;

/**
 * Sends a request over 8 connections, again and again on each, for at least so many milliseconds.
 * @throws Error if any response is not a 200 with the correct body
 */
export async function measureRequest({ url, body }: PageRequest, milliseconds: number): Promise<Measurement> {
  // Autocannon's own histogram counts whole milliseconds, and most responses take less.
  const times: number[] = [];
  let [responses, startedAt, endedAt] = [0, 0, 0];
  const ends = { duration: 600, bailout: 1, sampleInt: 20 };
  const instance = autocannon({ url, connections: CONNECTIONS, expectBody: body, ...ends }, () => {});
  instance.on("response", (_client, _status, _bytes, time) => {
    endedAt = performance.now();
    if (++responses > WARM_UP) times.push(time);
    else startedAt = endedAt;
    if (times.length > 0 && endedAt - startedAt >= milliseconds) instance.stop();
  });
  const [{ errors, mismatches, non2xx }] = await once(instance, "done");
  if (errors + mismatches + non2xx > 0)
    throw new Error(`${url}: ${mismatches} wrong bodies, ${non2xx} wrong statuses, ${errors} errors`);
  const rps = (1000 * times.length) / (endedAt - startedAt);
  return { rps, p50_ms: percentile(0.5, times), p99_ms: percentile(0.99, times) };
}

function percentile(share: number, values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

/** Rounds to three significant digits. */
const roundToThreeDigits = (value: number) => Number(value.toPrecision(3));

export function compareResults(results: (Case & Measurement)[]): Record<string, number> {
  const find = (name: string) =>
    results.find(({ store, page, mode }) => [store, page, mode].filter(Boolean).join(" ") === name);
  const getRatio = (figure: keyof Measurement, one: string, other: string) =>
    roundToThreeDigits(Number(find(one)?.[figure]) / Number(find(other)?.[figure]));
  return {
    hot_vs_baseline: getRatio("rps", "d1 first hot", "baseline"),
    cold_d1_vs_store_baseline: getRatio("rps", "d1 first cold", "d1 store_baseline"),
    cold_kv_vs_store_baseline: getRatio("rps", "kv first cold", "kv store_baseline"),
    last_vs_first_p50_d1: getRatio("p50_ms", "d1 last cold", "d1 first cold"),
    last_vs_first_p50_kv: getRatio("p50_ms", "kv last cold", "kv first cold"),
  };
}
