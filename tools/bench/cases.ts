import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import { type Figures, measure } from "./load-generator.ts";
import type { PageName, PageRequest } from "./pages.ts";

/**
 * What is measured. `floor` and `store_floor` are the least that a worker can do, and read no page. `hot` pages come from the
 * instance's memory. `cold` pages come from the store: the instance knows the state, and keeps no block and no page.
 * `wrangler_dev` is the service as `npm start` runs it.
 */
export type Mode = "floor" | "store_floor" | "cold" | "hot" | "wrangler_dev";

export interface Case {
  store: StoreName | null;
  page: PageName | null;
  mode: Mode;
}

/** A case with its result in each round. */
export type Measured = Case & { rounds: Figures[] };

const PAGES: PageName[] = ["first", "middle", "last"];

const CASES: Case[] = [
  { store: null, page: null, mode: "floor" },
  ...STORE_NAMES.flatMap((store): Case[] => [
    { store, page: null, mode: "store_floor" },
    ...PAGES.flatMap((page): Case[] => [
      { store, page, mode: "cold" },
      { store, page, mode: "hot" },
    ]),
  ]),
  { store: "d1", page: "middle", mode: "wrangler_dev" },
];

/**
 * Measures every case once per round, in another order each time, so that other work of the machine slows down all alike.
 * @param rounds one more round before them is a warm-up that does not count
 * @param request makes the request of a case
 */
export async function measureCases(
  rounds: number,
  milliseconds: number,
  request: (one: Case) => Promise<PageRequest>,
): Promise<Measured[]> {
  const measured: Measured[] = CASES.map((one) => ({ ...one, rounds: [] }));
  for (let round = 0; round <= rounds; round++) {
    console.error(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
    const places = new Map(measured.map((one) => [one, Math.random()]));
    for (const one of measured.toSorted((a, b) => Number(places.get(a)) - Number(places.get(b)))) {
      const figures = await measure(await request(one), milliseconds);
      if (round > 0) one.rounds.push(figures);
    }
  }
  return measured;
}

/** The medians of a case. */
export function summarise({ rounds, ...one }: Measured): Case & Figures {
  const figure = (name: keyof Figures) => median(rounds.map((figures) => figures[name]));
  return { ...one, rps: figure("rps"), p50_ms: figure("p50_ms"), p99_ms: figure("p99_ms") };
}

/** Compares cases within each round, and returns the medians. */
export function compare(measured: Measured[]) {
  const ratio = (figure: keyof Figures, one: string, other: string) => {
    const [values, others] = [one, other].map((name) => {
      const found = measured.find(({ store, page, mode }) => name === [store, page, mode].join(" ").trim());
      return found?.rounds.map((figures) => figures[figure]) ?? [];
    });
    return median((values ?? []).map((value, round) => value / (others?.[round] ?? Number.NaN)));
  };
  return {
    hot_vs_floor: ratio("rps", "d1 first hot", "floor"),
    cold_d1_vs_store_floor: ratio("rps", "d1 first cold", "d1  store_floor"),
    cold_kv_vs_store_floor: ratio("rps", "kv first cold", "kv  store_floor"),
    last_vs_first_p50_d1: ratio("p50_ms", "d1 last cold", "d1 first cold"),
    last_vs_first_p50_kv: ratio("p50_ms", "kv last cold", "kv first cold"),
  };
}

/** The median of some values, with three significant digits. */
export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const around = (sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN);
  return Number((around / 2).toPrecision(3));
}
