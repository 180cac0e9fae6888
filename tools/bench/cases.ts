import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import { type Figures, measure } from "./load-generator.ts";
import type { PageName, PageRequest } from "./pages.ts";

/**
 * What is measured. `floor` and `store_floor` are the least that a worker can do, and read no page. `hot` pages come from the
 * instance's memory. `cold` pages come from the store: the instance knows the state, and keeps no block and no page.
 * `wrangler_dev` is the service as `npm start` runs it, and `package` is the command of the package.
 */
export interface Case {
  store: StoreName | "memory" | null;
  page: PageName | null;
  mode: "floor" | "store_floor" | "cold" | "hot" | "wrangler_dev" | "package";
}

const PAGES: PageName[] = ["first", "middle", "last"];

const CASES: Case[] = [
  { store: null, page: null, mode: "floor" },
  ...STORE_NAMES.flatMap((store): Case[] => [
    { store, page: null, mode: "store_floor" },
    ...PAGES.map((page): Case => ({ store, page, mode: "cold" })),
    ...PAGES.map((page): Case => ({ store, page, mode: "hot" })),
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
    for (const each of shuffled.sort((one, other) => one.place - other.place)) {
      const figures = await measure(await request(each.one), milliseconds);
      if (round > 0) each.rounds.push(figures);
    }
  }
  return measured.map(({ one, rounds }) => ({ ...one, ...takeMedians(rounds) }));
}

function takeMedians(rounds: Figures[]): Figures {
  const median = (name: keyof Figures) => {
    const sorted = rounds.map((figures) => figures[name]).sort((one, other) => one - other);
    return shorten(sorted[Math.floor(sorted.length / 2)]);
  };
  return { rps: median("rps"), p50_ms: median("p50_ms"), p99_ms: median("p99_ms") };
}

/** Rounds to three significant digits. */
const shorten = (value = Number.NaN) => Number(value.toPrecision(3));

export function compare(results: (Case & Figures)[]) {
  const ratio = (figure: keyof Figures, ...names: [string, string]) => {
    const [one, other] = names.map((name) =>
      results.find(({ store, page, mode }) => name === [store, page, mode].filter(Boolean).join(" ")),
    );
    return shorten(one && other && one[figure] / other[figure]);
  };
  return {
    hot_vs_floor: ratio("rps", "d1 first hot", "floor"),
    cold_d1_vs_store_floor: ratio("rps", "d1 first cold", "d1 store_floor"),
    cold_kv_vs_store_floor: ratio("rps", "kv first cold", "kv store_floor"),
    last_vs_first_p50_d1: ratio("p50_ms", "d1 last cold", "d1 first cold"),
    last_vs_first_p50_kv: ratio("p50_ms", "kv last cold", "kv first cold"),
  };
}
