import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import { type Figures, measure, type PageRequest } from "./load-generator.ts";

/**
 * What is measured. `floor` and `store_floor` are the least that a worker can do, and read no page. `hot` pages come from the
 * instance's memory. `cold` pages come from the store: the instance knows the state, and keeps no block and no page.
 * `wrangler_dev` is the service as `npm start` runs it, and `package` is the command of the package.
 */
export interface Case {
  store: StoreName | "memory" | null;
  page: "first" | "middle" | "last" | null;
  mode: "floor" | "store_floor" | "cold" | "hot" | "wrangler_dev" | "package";
}

const PAGES = ["first", "middle", "last"] as const;

const CASES: Case[] = [
  { store: null, page: null, mode: "floor" },
  ...STORE_NAMES.flatMap((store): Case[] => [
    { store, page: null, mode: "store_floor" },
    ...(["cold", "hot"] as const).flatMap((mode) => PAGES.map((page) => ({ store, page, mode }))),
  ]),
  { store: "d1", page: "middle", mode: "wrangler_dev" },
  { store: "memory", page: "middle", mode: "package" },
];

/**
 * Measures every case once per round, in another order each time, so that other work of the machine slows down all alike.
 * @param rounds one more round before them is a warm-up that does not count
 * @param milliseconds the duration of each measurement
 * @param request makes the request of a case
 * @returns the medians of the rounds
 */
export async function measureCases(
  rounds: number,
  milliseconds: number,
  request: (one: Case) => Promise<PageRequest>,
): Promise<(Case & Figures)[]> {
  const measured = CASES.map((one) => ({ one, rounds: [] as Figures[] }));
  for (let round = 0; round <= rounds; round++) {
    console.error(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
    const shuffled = measured.map((each) => ({ ...each, place: Math.random() }));
    for (const { one, rounds } of shuffled.sort((one, other) => one.place - other.place)) {
      const figures = await measure(await request(one), milliseconds);
      if (round > 0) rounds.push(figures);
    }
  }
  const median = (rounds: Figures[], name: keyof Figures) =>
    shorten(rounds.map((figures) => figures[name]).sort((one, other) => one - other)[rounds.length >> 1]);
  return measured.map(({ one, rounds }) => ({
    ...one,
    ...{ rps: median(rounds, "rps"), p50_ms: median(rounds, "p50_ms"), p99_ms: median(rounds, "p99_ms") },
  }));
}

/** Rounds to three significant digits. */
const shorten = (value = Number.NaN) => Number(value.toPrecision(3));

/** The figure of a case that is divided by that of another one. */
const RATIOS: [name: string, figure: keyof Figures, one: string, other: string][] = [
  ["hot_vs_floor", "rps", "d1 first hot", "floor"],
  ["cold_d1_vs_store_floor", "rps", "d1 first cold", "d1 store_floor"],
  ["cold_kv_vs_store_floor", "rps", "kv first cold", "kv store_floor"],
  ["last_vs_first_p50_d1", "p50_ms", "d1 last cold", "d1 first cold"],
  ["last_vs_first_p50_kv", "p50_ms", "kv last cold", "kv first cold"],
];

export function compare(results: (Case & Figures)[]): Record<string, number> {
  const cases = new Map(
    results.map((one) => [[one.store, one.page, one.mode].filter(Boolean).join(" "), one]),
  );
  return Object.fromEntries(
    RATIOS.map(([name, figure, one, other]) => [
      name,
      shorten((cases.get(one)?.[figure] ?? Number.NaN) / (cases.get(other)?.[figure] ?? Number.NaN)),
    ]),
  );
}
