import { once } from "node:events";
import autocannon from "autocannon";
import { printError } from "../command-line/print.ts";
import { STORE_NAMES } from "../data/stores/configuration.ts";

/**
 * A measured case. `baseline` is a minimal worker, and `store_baseline` is a minimal worker that reads the store once. `hot` pages come
 * from the cache, and `cold` pages come from the store. `package` is the command of the package, and `node` is Node's own server, which sends
 * a page of the package as a constant.
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
  { store: "memory", page: "middle", mode: "package" },
  { store: null, page: "middle", mode: "node" },
];

/** The mode that each mode is compared with: the same runtime without the work of the service. */
const BASELINES: Record<string, string> = { hot: "baseline", cold: "store_baseline", package: "node" };

type Measurement = Record<"per_second" | "p50_ms" | "p99_ms", number>;

/** The URL of a page, and the body of the only correct response. */
export type PageRequest = { url: string; body: string };

export type BenchOptions = Record<"rounds" | "milliseconds", number>;

/**
 * Measures every case once in each round, in random order, so that other work of the machine and the previous case affect all cases alike.
 * @returns The medians of the rounds. `share_of_baseline` compares two rates of one run, because rates differ between machines
 */
export async function measureCases(
  { rounds, milliseconds }: BenchOptions,
  request: (one: Case) => Promise<PageRequest>,
): Promise<(Case & Measurement & { share_of_baseline: number | null })[]> {
  const measured = CASES.map((one) => ({ one, found: [] as Measurement[] }));
  for (let round = 1; round <= rounds; round++) {
    printError(`round ${round} of ${rounds}`);
    for (const { one, found } of measured.toSorted(() => Math.random() - 0.5))
      found.push(await measureRequest(await request(one), milliseconds));
  }
  const medians = measured.map(({ one, found }) => {
    const median = (name: keyof Measurement) => {
      const values = found.map((measurement) => measurement[name]);
      return roundToThreeDigits(percentile(0.5, values));
    };
    return { ...one, per_second: median("per_second"), p50_ms: median("p50_ms"), p99_ms: median("p99_ms") };
  });
  return medians.map((row) => {
    const candidates = medians.filter(({ mode }) => mode === BASELINES[row.mode]);
    const baseline = candidates.find(({ store }) => store === null || store === row.store);
    const share_of_baseline = baseline ? roundToThreeDigits(row.per_second / baseline.per_second) : null;
    return { ...row, share_of_baseline };
  });
}

const CONNECTIONS = 8;

/** The number of responses that are not measured, because connections are opened and instances read the current snapshot. */
const WARM_UP = 3 * CONNECTIONS;

/**
 * Repeats a request on 8 connections for at least the given number of milliseconds.
 * @throws Error if any response is not a 200 with the correct body
 */
export async function measureRequest({ url, body }: PageRequest, milliseconds: number): Promise<Measurement> {
  // Collects the times, because autocannon's histogram counts whole milliseconds, and most responses take less.
  const times: number[] = [];
  let responses = 0;
  let startedAt = 0;
  let endedAt = 0;
  const limits = { duration: 600, bailout: 1, sampleInt: 20 };
  const options = { url, connections: CONNECTIONS, expectBody: body, ...limits };
  const instance = autocannon(options, () => {});
  instance.on("response", (_client, _status, _bytes, time) => {
    endedAt = performance.now();
    responses += 1;
    if (responses <= WARM_UP) {
      startedAt = endedAt;
      return;
    }
    times.push(time);
    if (endedAt - startedAt >= milliseconds) instance.stop();
  });
  const [{ errors, mismatches, non2xx }] = await once(instance, "done");
  if (errors + mismatches + non2xx > 0)
    throw new Error(`${url}: ${mismatches} incorrect bodies, ${non2xx} incorrect statuses, ${errors} errors`);
  const per_second = (1_000 * times.length) / (endedAt - startedAt);
  return { per_second, p50_ms: percentile(0.5, times), p99_ms: percentile(0.99, times) };
}

function percentile(share: number, values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Number(sorted[Math.ceil(values.length * share) - 1]);
}

const roundToThreeDigits = (value: number) => Number(value.toPrecision(3));
