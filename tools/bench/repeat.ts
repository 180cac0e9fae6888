import type { PreparedCase } from "./cases.ts";
import { type Figures, runLoad } from "./load-run.ts";

/** A case and its result in each round. */
export interface Measured extends PreparedCase {
  rounds: Figures[];
}

/**
 * Measures every case once per round, each round in another order, so that other work of the machine does not slow
 * down one case more than the others.
 * @param rounds 1 or more; one more round before them is a warm-up that does not count
 * @param seconds how long each case is measured in a round
 */
export async function measure(cases: PreparedCase[], rounds: number, seconds: number): Promise<Measured[]> {
  const measured: Measured[] = cases.map((one) => ({ ...one, rounds: [] }));
  for (let round = 0; round <= rounds; round++) {
    console.error(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
    for (const one of shuffle(measured)) {
      const figures = await runLoad(one, seconds);
      if (round > 0) one.rounds.push(figures);
    }
  }
  return measured;
}

function shuffle<T>(values: T[]): T[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value);
}
