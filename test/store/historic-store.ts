import { BLOCK_SIZE } from "../../src/store/block.ts";
import { JOIN_WINDOW_MS, READ_TIMEOUT_MS } from "../../src/store/retry.ts";
import type { State, Store } from "../../src/store/state.ts";
import { findBlock, makeState, readStateWithBlock } from "./controlled-store.ts";
import { currentRequest, type Random, wait } from "./virtual-clock.ts";

/** How a store behaves. */
export interface StoreBehavior {
  /** Whether it reads a state and a block in one step. */
  readsBlockWithState: boolean;
  /** The longest that a read takes if nothing is wrong. Two in a row, of a replica and of the primary database, are not given up. */
  latencyMs: number;
  /** How far a replica can be behind; 0 if there is none. */
  lagMs: number;
  /** The share of the reads that fail, hang or take minutes while the store is disturbed. */
  failureRate: number;
  /** Whether a backup is restored now and then. */
  restoresBackups: boolean;
}

export const NEVER = new Promise<never>(() => {});

const FATES = ["hangs", "hangs", "takes minutes", "fails", "fails"] as const;

const SIZES = [0, 1, 15, 16, 190, BLOCK_SIZE, BLOCK_SIZE + 1, 400, 4 * BLOCK_SIZE];

/**
 * Creates a store whose reads take time, overlap, hang and fail, while loads replace each other. What an instance may serve follows
 * from `states` alone: the states, with the times from when until when each was current.
 */
export function createHistoricStore(behavior: StoreBehavior, random: Random) {
  const { readsBlockWithState, latencyMs, lagMs } = behavior;
  const problems: string[] = [];
  /** Notes a problem unless something is true. An error that is thrown would be caught by the cache. */
  const demand = (isTrue: boolean, problem: string, detail: unknown) => {
    if (!isTrue) problems.push(`${problem}: ${detail}`);
  };
  const states: { state: State; from: number; to: number }[] = [];
  const stored: { load: string; from: number; to: number }[] = [];
  /** When the reads of the state began that are under way. */
  const running = { usual: new Set<number>(), newest: new Set<number>() };
  const confirmations: { askedAt: number; load: string }[] = [];
  const seen = { mostAtOnce: 0, disturbedUntil: 0, workedUntil: 0 };

  const drawFate = () => {
    const isDisturbed = Date.now() < seen.disturbedUntil && random() < behavior.failureRate;
    return isDisturbed ? FATES[Math.floor(random() * FATES.length)] : "works";
  };
  const hang = () => {
    seen.workedUntil = Date.now() + READ_TIMEOUT_MS;
    return NEVER;
  };

  /** Answers what is there at some time between the question and the answer or, in a replica, within the lag before. */
  async function answer<T>(fromPrimary: boolean, view: (time: number) => T): Promise<T> {
    const request = currentRequest.getStore();
    const outlives = random() < 0.7;
    const fate = drawFate();
    if (fate === "hangs" || request?.isOver) return hang();
    if (fate !== "works") void hang();
    const takes = fate === "takes minutes" ? 3_000 + random() * 200_000 : random() * latencyMs;
    const before = random() * takes;
    // These timers are the store's, and do not end with the request.
    await currentRequest.exit(() => wait(before));
    const result = view(Date.now() - (fromPrimary ? 0 : random() * lagMs));
    await currentRequest.exit(() => wait(takes - before));
    // The runtime can end what a request began with it, without notice.
    if (request?.isOver && !outlives) return hang();
    if (fate === "fails") throw new Error("the store fails");
    return result;
  }

  const readText = (load: string, number: number, time: number) => {
    const isStored = stored.some((one) => one.load === load && one.from <= time && time < one.to);
    return isStored ? findBlock(load, number) : null;
  };

  const store: Store = {
    async readState({ withBlock, fromPrimary = false } = {}) {
      const askedAt = Date.now();
      const reads = fromPrimary ? running.newest : running.usual;
      const latest = Math.max(0, ...reads);
      demand(
        latest <= askedAt - JOIN_WINDOW_MS,
        "a read that began just now is not joined",
        askedAt - latest,
      );
      reads.add(askedAt);
      seen.mostAtOnce = Math.max(seen.mostAtOnce, reads.size);
      const reading = await answer(fromPrimary, (time) => {
        const { state } = states.findLast(({ from }) => from <= time) ?? states[0]!;
        if (!readsBlockWithState || withBlock === undefined) return { state };
        return readStateWithBlock(state, withBlock, (load, number) => readText(load, number, time));
      }).finally(() => reads.delete(askedAt));
      if (fromPrimary) confirmations.push({ askedAt, load: reading.state.load });
      return reading;
    },
    readBlocks: (load, numbers, fromPrimary = false) =>
      answer(fromPrimary, (time) => numbers.map((number) => readText(load, number, time))),
  };

  /** Serves a state from now on. The blocks of others are removed at once, or soon. */
  const serve = (state: State) => {
    const now = Date.now();
    for (const one of stored) one.to = Math.min(one.to, now + (random() < 0.5 ? 0 : random() * 20_000));
    for (const one of states) one.to = Math.min(one.to, now);
    stored.push({ load: state.load, from: now - random() * 1_000, to: Number.POSITIVE_INFINITY });
    states.push({ state, from: now, to: Number.POSITIVE_INFINITY });
  };
  const change = () => {
    // A load takes longer.
    if (Date.now() - states.at(-1)!.from < 2_000) return;
    const restoresBackups = behavior.restoresBackups && random() < 0.3;
    if (restoresBackups) return serve(states[Math.floor(random() * states.length)]!.state);
    const sequence = (states.at(-1)?.state.sequence ?? 0) + 1;
    const count = SIZES[Math.floor(random() * SIZES.length)]!;
    serve(makeState(count, sequence, states.length));
  };
  serve(makeState(310));
  return { behavior, store, change, states, confirmations, seen, problems, demand };
}
