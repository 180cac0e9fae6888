import { BLOCK_SIZE } from "../../src/store/block.ts";
import { JOIN_WINDOW_MS, READ_TIMEOUT_MS } from "../../src/store/retry.ts";
import type { State, Store } from "../../src/store/state.ts";
import { findBlock, makeState, readStateWithBlock } from "./controlled-store.ts";
import { currentRequest, type Random, wait } from "./virtual-clock.ts";

/** The behavior of a store in a history. */
export interface StoreBehavior {
  /** Whether the store reads a state and a block in one step. */
  readsBlockWithState: boolean;
  /** The maximum duration of a successful read. Two reads, of a replica and then of the primary database, must not time out. */
  latencyMs: number;
  /** The maximum lag of a replica; 0 if there is none. */
  lagMs: number;
  /** The share of the reads that fail, hang or take minutes during a failure of the store. */
  failureRate: number;
  /** Whether a backup is sometimes restored. */
  restoresBackups: boolean;
}

/** Creates a promise that never settles. One promise for all simulations would retain all handlers in memory. */
export const createPendingPromise = () => new Promise<never>(() => {});

const OUTCOMES = ["hangs", "hangs", "takes minutes", "fails", "fails"] as const;

const SIZES = [0, 1, 15, 16, 190, BLOCK_SIZE, BLOCK_SIZE + 1, 400, 4 * BLOCK_SIZE];

/**
 * Creates a store whose reads take time, overlap, hang and fail, while loads replace each other. `states` contains each state with the
 * time when it was current, and determines the states that an instance may serve.
 */
export function createHistoricStore(behavior: StoreBehavior, random: Random) {
  const { readsBlockWithState, latencyMs, lagMs } = behavior;
  const problems: string[] = [];
  /** Records a problem unless `isTrue`. The cache would catch a thrown error. */
  const check = (isTrue: boolean, problem: string, detail: unknown) => {
    if (!isTrue) problems.push(`${problem}: ${detail}`);
  };
  const states: { state: State; from: number; to: number }[] = [];
  const stored: { load: string; from: number; to: number }[] = [];
  /** The start times of the running reads of the state. */
  const running = { replica: new Set<number>(), primary: new Set<number>() };
  const confirmations: { startedAt: number; load: string }[] = [];
  const seen = { maxRunning: 0, failsUntil: 0, failedAt: 0 };

  const drawOutcome = () => {
    const isFailing = Date.now() < seen.failsUntil && random() < behavior.failureRate;
    return isFailing ? OUTCOMES[Math.floor(random() * OUTCOMES.length)] : "works";
  };
  const hang = () => {
    seen.failedAt = Date.now() + READ_TIMEOUT_MS;
    return createPendingPromise();
  };

  /** Returns the content of the store at a random time of the read or, for a replica, up to the lag earlier. */
  async function respond<T>(fromPrimary: boolean, view: (time: number) => T): Promise<T> {
    const request = currentRequest.getStore();
    const outlivesRequest = random() < 0.7;
    const outcome = drawOutcome();
    if (outcome === "hangs" || request?.isOver) return hang();
    if (outcome !== "works") void hang();
    const durationMs = outcome === "takes minutes" ? 3_000 + random() * 200_000 : random() * latencyMs;
    const before = random() * durationMs;
    // The timers belong to the store, so they continue after the end of the request.
    await currentRequest.exit(() => wait(before));
    const result = view(Date.now() - (fromPrimary ? 0 : random() * lagMs));
    await currentRequest.exit(() => wait(durationMs - before));
    // The runtime may end the work of a request together with the request, without notice.
    if (request?.isOver && !outlivesRequest) return hang();
    if (outcome === "fails") throw new Error("the store fails");
    return result;
  }

  const readText = (load: string, number: number, time: number) => {
    const isStored = stored.some((blocks) => blocks.load === load && blocks.from <= time && time < blocks.to);
    return isStored ? findBlock(load, number) : null;
  };

  const store: Store = {
    async readState({ withBlock, fromPrimary = false } = {}) {
      const startedAt = Date.now();
      const reads = fromPrimary ? running.primary : running.replica;
      const latest = Math.max(0, ...reads);
      check(
        latest <= startedAt - JOIN_WINDOW_MS,
        "a request does not join a recent read",
        startedAt - latest,
      );
      reads.add(startedAt);
      seen.maxRunning = Math.max(seen.maxRunning, reads.size);
      const stateRead = await respond(fromPrimary, (time) => {
        const { state } = states.findLast(({ from }) => from <= time) ?? states[0]!;
        if (!readsBlockWithState || withBlock === undefined) return { state };
        return readStateWithBlock(state, withBlock, (load, number) => readText(load, number, time));
      }).finally(() => reads.delete(startedAt));
      if (fromPrimary) confirmations.push({ startedAt, load: stateRead.state.load });
      return stateRead;
    },
    readBlocks: (load, numbers, fromPrimary = false) =>
      respond(fromPrimary, (time) => numbers.map((number) => readText(load, number, time))),
  };

  /** Switches to a state. The blocks of the previous load are removed immediately or soon. */
  const switchState = (state: State) => {
    const now = Date.now();
    for (const blocks of stored)
      blocks.to = Math.min(blocks.to, now + (random() < 0.5 ? 0 : random() * 20_000));
    for (const period of states) period.to = Math.min(period.to, now);
    stored.push({ load: state.load, from: now - random() * 1_000, to: Number.POSITIVE_INFINITY });
    states.push({ state, from: now, to: Number.POSITIVE_INFINITY });
  };
  const replaceState = () => {
    // A load takes longer than this.
    if (Date.now() - states.at(-1)!.from < 2_000) return;
    if (behavior.restoresBackups && random() < 0.3)
      return switchState(states[Math.floor(random() * states.length)]!.state);
    const sequence = (states.at(-1)?.state.sequence ?? 0) + 1;
    const count = SIZES[Math.floor(random() * SIZES.length)]!;
    switchState(makeState(count, sequence, states.length));
  };
  switchState(makeState(310));
  return { behavior, store, replaceState, states, confirmations, seen, problems, check };
}
