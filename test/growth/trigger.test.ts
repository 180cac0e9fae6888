import { expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import type { Env } from "../../src/env.ts";
import { untilServed } from "../serve.ts";
import { walk } from "../walk/walk.ts";
import { loadInto, startWorker } from "../worker.ts";
import { loaded, runScheduled, until } from "./collection.ts";

const DUE = "2026-11-20T12:05:00Z";

test.each([
  [{ GROW: "on" }, until("2026-11-20T12:00:00Z")],
  // The settings of wrangler.toml.
  [{}, loaded],
])(
  "with %j in workerd, the collection after runs of the cron trigger is the expected one",
  async (vars, records) => {
    const worker = await startWorker({ vars });
    await loadInto(worker.env, "d1", loaded);
    for (let run = 0; run < 2; run++) expect(await worker.runScheduled(new Date(DUE))).toBe("ok");
    await untilServed(worker.origin);
    expect(await walk(worker.origin)).toEqual(records.toReversed());
    await worker.close();
  },
);

/** An environment that throws as soon as a store is used. */
const untouchable = (settings: Partial<Env>) =>
  new Proxy(settings as Env, {
    get(target, name) {
      if (name === "DB" || name === "KV") throw new Error(`${name} is used`);
      return Reflect.get(target, name);
    },
  });

test.each([{}, { GROW: "off" }])("the cron trigger uses no store with %j", async (settings) => {
  await runScheduled(untouchable({ STORE: "d1", ...settings }), DUE);
  await expect(runScheduled(untouchable({ STORE: "d1", GROW: "on" }), DUE)).rejects.toThrow("is used");
});

test.each(["", "yes", "ON"])("the cron trigger fails if GROW is %j", async (GROW) => {
  await expect(runScheduled(untouchable({ GROW }), DUE)).rejects.toThrow(
    `GROW is ${JSON.stringify(GROW)}; it must be "on" or "off"`,
  );
});

test("wrangler.toml turns growth off and schedules a run after each half hour", () => {
  const { vars, triggers } = unstable_readConfig({ config: "wrangler.toml" });
  expect(vars.GROW).toBe("off");
  expect(triggers.crons).toEqual(["5,35 * * * *"]);
});
