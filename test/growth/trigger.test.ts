import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";
import type { StoreName } from "../../tools/configuration.ts";
import { STORE_NAMES } from "../../tools/configuration.ts";
import { untilFresh } from "../serve.ts";
import { walk } from "../walk/walk.ts";
import { loadInto, type RunningWorker, startWorker } from "../worker.ts";
import { recordsOf } from "./collection.ts";

const loaded = recordsOf("2026-11-20T08:00:00Z", "2026-11-20T11:30:00Z");
const DUE = new Date("2026-11-20T12:05:00Z");

async function start(STORE: StoreName, GROW?: string): Promise<RunningWorker> {
  const worker = await startWorker({ vars: { STORE, ...(GROW === undefined ? {} : { GROW }) } });
  await loadInto(worker.env, STORE, loaded);
  return worker;
}

describe.each(STORE_NAMES)("GROW is on, in workerd, from %s", (store) => {
  let worker: RunningWorker;
  beforeAll(async () => {
    worker = await start(store, "on");
  });
  afterAll(() => worker?.close());

  test("the cron trigger adds observations, and within five seconds they are served", async () => {
    expect(await walk(worker.origin)).toEqual(loaded.toReversed());
    expect(await worker.runScheduled(DUE)).toBe("ok");
    expect(await worker.runScheduled(DUE)).toBe("ok");
    await untilFresh();
    const all = recordsOf("2026-11-20T08:00:00Z", "2026-11-20T12:00:00Z");
    expect(await walk(worker.origin)).toEqual(all.toReversed());
  });
});

test("without GROW in wrangler.toml's own settings nothing is added", async () => {
  const worker = await start("d1");
  expect(await worker.runScheduled(DUE)).toBe("ok");
  await untilFresh();
  expect(await walk(worker.origin)).toEqual(loaded.toReversed());
  await worker.close();
});

/** Fails as soon as a store is touched. */
const untouchable = (settings: Partial<Env>) =>
  new Proxy(settings as Env, {
    get(target, name) {
      if (name === "DB" || name === "KV") throw new Error(`${name} is touched`);
      return Reflect.get(target, name);
    },
  });

const controller = { scheduledTime: DUE.getTime(), cron: "5,35 * * * *", noRetry() {} };

test.each([{}, { GROW: "off" }])("with %j nothing is read", async (settings) => {
  await app.scheduled(controller, untouchable({ STORE: "d1", ...settings }));
  await expect(app.scheduled(controller, untouchable({ STORE: "d1", GROW: "on" }))).rejects.toThrow(
    "touched",
  );
});

test.each(["", "yes", "ON"])("GROW is %j: the run fails and says so", async (GROW) => {
  await expect(app.scheduled(controller, untouchable({ GROW }))).rejects.toThrow(
    `GROW is ${JSON.stringify(GROW)}; it must be "on" or "off"`,
  );
});

test("wrangler.toml has it off, and a run after each half hour", async () => {
  const configuration = await readFile("wrangler.toml", "utf8");
  expect(configuration).toContain('GROW = "off"');
  expect(configuration).toContain(`crons = ["${controller.cron}"]`);
});
