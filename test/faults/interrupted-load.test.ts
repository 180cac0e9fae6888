import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StoreName } from "../../data/targets/targets.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { STATE_KEY } from "../../src/store/blocks.ts";
import { loadStatements } from "../../src/store/d1-statements.ts";
import { writePairs } from "../../src/store/kv-pairs.ts";
import type { State } from "../../src/store/store.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, type RunningWorker, startWorker } from "../worker.ts";
import { expectCollection } from "./answers.ts";

let worker: RunningWorker;
let store: StoreName;

type Step = () => Promise<unknown>;

/** A load as the steps after each of which it may end for good. */
const loads: Record<StoreName, (records: TrafficRecord[], state: State) => Step[]> = {
  d1: (records, state) =>
    Array.from(
      loadStatements(records, state),
      ({ sql }) =>
        () =>
          worker.env.DB.prepare(sql).run(),
    ),
  kv: (records, state) => [
    ...Array.from(
      writePairs(records, state),
      ({ key, value }) =>
        () =>
          worker.env.KV.put(key, value),
    ),
    () => worker.env.KV.put(STATE_KEY, JSON.stringify(state)),
  ],
};

/** Steps of a whole load, which of them switches to the new state, and the records that make it so. */
const cases = [
  // Four to sweep, four inserts (three bytes a character, 90 KB an insert), statistics, switch, two to remove.
  { name: "d1", steps: 12, switch: 10, length: 400, camera_ref: "道".repeat(255) },
  // Three blocks, statistics, switch.
  { name: "kv", steps: 5, switch: 5, length: 1_250, camera_ref: "a33" },
] as const;

describe.each(cases)("$name: a load that ends", ({ name, steps, switch: switchStep, length, camera_ref }) => {
  const make = (count: number) => makeRecords(count).map((record) => ({ ...record, camera_ref }));
  /** What is served before, newest first. */
  let served: TrafficRecord[];
  beforeAll(async () => {
    store = name;
    worker = await startWorker({ vars: { STORE: store } });
    served = make(length).reverse();
    await loadInto(worker.env, store, served.toReversed());
  });
  afterAll(() => worker.close());

  test.each(Array.from({ length: steps + 1 }, (_, done) => done))(
    `after %i of ${steps} steps leaves one state, whole, and the next load succeeds`,
    async (done) => {
      const next = make(length - 20 + done);
      const load = loads[store](next, { version: 1_000 + done, count: next.length });
      expect(load).toHaveLength(steps);
      for (const step of load.slice(0, done)) await step();
      await expectCollection(worker.env, done < switchStep ? served : next.toReversed());

      served = make(length + done).reverse();
      await loadInto(worker.env, store, served.toReversed());
      await expectCollection(worker.env, served);
    },
  );
});
