import type { D1Database } from "@cloudflare/workers-types";
import { READ_TIMEOUT_MS } from "../../src/store/store.ts";
import type { WritableDatabase } from "../../tools/data/stores/d1-writer.ts";
import { currentRequest, type Random, wait } from "./virtual-clock.ts";

type Constraint = Parameters<WritableDatabase["query"]>[2];

/** The behavior of a simulated D1 database. */
interface Behavior {
  /** The maximum duration of a successful read. Two reads, of a replica and then of the primary database, must not time out. */
  latencyMs: number;
  /** The share of the reads that fail, hang or take long during a failure of the database. */
  failureRate: number;
  /** When the failure ends. */
  getFailureEnd: () => number;
}

/** Creates a promise that never settles. One promise for all simulations would retain all handlers in memory. */
export const createPendingPromise = () => new Promise<never>(() => {});

const OUTCOMES = ["hangs", "hangs", "takes long", "fails", "fails"] as const;

/** Creates the binding of an instance to a database. Its reads take time, overlap, hang and fail. */
export function createFailingBinding(database: WritableDatabase, behavior: Behavior, random: Random) {
  /** When the latest failed read has ended. */
  const seen = { failedAt: 0 };
  const drawOutcome = () => {
    const isFailing = Date.now() < behavior.getFailureEnd() && random() < behavior.failureRate;
    return isFailing ? OUTCOMES[Math.floor(random() * OUTCOMES.length)] : "works";
  };
  /** Runs a query at a random time of the read. The timers belong to the database, so they continue after the end of the request. */
  const read = async (sql: string, parameters: (string | number)[], constraint: Constraint) => {
    const outcome = drawOutcome();
    const durationMs = random() * (outcome === "takes long" ? 20_000 : behavior.latencyMs);
    if (outcome !== "works") seen.failedAt = Date.now() + READ_TIMEOUT_MS;
    if (outcome === "hangs") return createPendingPromise();
    const beforeMs = random() * durationMs;
    await wait(beforeMs);
    const results = await database.query(sql, parameters, constraint);
    await wait(durationMs - beforeMs);
    if (outcome === "fails") throw new Error("the database fails");
    return { results };
  };
  /** The runtime ends the work of a request together with the request, without notice. */
  const readForRequest = async (...query: Parameters<typeof read>) => {
    const request = currentRequest.getStore();
    const reading = currentRequest.exit(() => read(...query)).catch((error: Error) => error);
    const outcome = await reading;
    if (request?.isOver) return createPendingPromise();
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const withSession = (constraint: Constraint) => ({
    prepare: (sql: string) => ({
      bind: (...parameters: (string | number)[]) => ({
        all: () => readForRequest(sql, parameters, constraint),
      }),
    }),
  });
  return { seen, binding: { withSession } as unknown as D1Database };
}
