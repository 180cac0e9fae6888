import { beforeAll, describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";
import { untilFresh } from "../serve.ts";
import { walk } from "../walk/walk.ts";
import { loadInto, startWorker, useWorker } from "../worker.ts";
import { recordsOf } from "./collection.ts";

const loaded = recordsOf("2026-11-20T08:00:00Z", "2026-11-20T11:30:00Z");
const DUE = new Date("2026-11-20T12:05:00Z");

describe("with GROW on, in workerd,", () => {
  const worker = useWorker({ vars: { GROW: "on" } });
  beforeAll(async () => void (await loadInto(worker.env, "d1", loaded)));

  test("the cron trigger adds records, which are served within five seconds", async () => {
    expect(await walk(worker.origin)).toEqual(loaded.toReversed());
    expect(await worker.runScheduled(DUE)).toBe("ok");
    expect(await worker.runScheduled(DUE)).toBe("ok");
    await untilFresh();
    const all = recordsOf("2026-11-20T08:00:00Z", "2026-11-20T12:00:00Z");
    expect(await walk(worker.origin)).toEqual(all.toReversed());
  });
});

test("the cron trigger adds nothing with the settings of wrangler.toml", async () => {
  const worker = await startWorker();
  await loadInto(worker.env, "d1", loaded);
  expect(await worker.runScheduled(DUE)).toBe("ok");
  await untilFresh();
  expect(await walk(worker.origin)).toEqual(loaded.toReversed());
  await worker.close();
});

/** An environment that throws as soon as a store is used. */
const untouchable = (settings: Partial<Env>) =>
  new Proxy(settings as Env, {
    get(target, name) {
      if (name === "DB" || name === "KV") throw new Error(`${name} is used`);
      return Reflect.get(target, name);
    },
  });

const controller = { scheduledTime: DUE.getTime(), cron: "5,35 * * * *", noRetry() {} };

test.each([{}, { GROW: "off" }])("the cron trigger uses no store with %j", async (settings) => {
  await app.scheduled(controller, untouchable({ STORE: "d1", ...settings }));
  await expect(app.scheduled(controller, untouchable({ STORE: "d1", GROW: "on" }))).rejects.toThrow(
    "is used",
  );
});

test.each(["", "yes", "ON"])("the cron trigger fails if GROW is %j", async (GROW) => {
  await expect(app.scheduled(controller, untouchable({ GROW }))).rejects.toThrow(
    `GROW is ${JSON.stringify(GROW)}; it must be "on" or "off"`,
  );
});

test("wrangler.toml turns growth off and schedules a run after each half hour", () => {
  const { vars, triggers } = unstable_readConfig({ config: "wrangler.toml" });
  expect(vars.GROW).toBe("off");
  expect(triggers.crons).toEqual([controller.cron]);
});
