import type { Asked } from "./cases.ts";
import { type Figures, runLoad } from "./load-run.ts";

/** A case and what it came to in each round. */
export interface Measured extends Asked {
  rounds: Figures[];
}

/**
 * Measures all cases, in each round once and in another order: whatever else the machine does at times slows down
 * some of the cases in some of the rounds, not one case as a whole.
 * @param rounds 1 or more; before them, a round that does not count warms everything up
 * @param seconds how long each case is measured in a round
 */
export async function measure(cases: Asked[], rounds: number, seconds: number): Promise<Measured[]> {
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
