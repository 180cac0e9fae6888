import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { makeRecords } from "../records/sample.ts";
import { TRUST_MS } from "../serve.ts";
import { appendTo, loadInto, type RunningWorker, startWorker } from "../worker.ts";
import { ask, expectPage } from "./answers.ts";

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(async () => {
  vi.useRealTimers();
  await worker.close();
});

const TABLES = ["blocks", "state", "statistics"];

test("after a backup was restored, other content of the same load and count is served, not 304", async () => {
  const { DB } = worker.env;
  const records = makeRecords(60);
  const wrong = records.slice(50).map((record) => ({ ...record, id: record.id + 1_000 }));
  await loadInto(worker.env, "d1", records.slice(0, 50));
  await DB.batch(TABLES.map((table) => DB.prepare(`CREATE TABLE backup_${table} AS SELECT * FROM ${table}`)));
  await appendTo(worker.env, wrong);

  const instance = { ...worker.env };
  const response = await ask(instance);
  const etag = String(response.headers.get("ETag"));
  await expectPage(response, [...records.slice(0, 50), ...wrong].reverse());
  expect((await ask(instance, 1, { "If-None-Match": etag })).status).toBe(304);

  await DB.batch(
    TABLES.flatMap((table) => [
      DB.prepare(`DELETE FROM ${table}`),
      DB.prepare(`INSERT INTO ${table} SELECT * FROM backup_${table}`),
    ]),
  );
  await appendTo(worker.env, records.slice(50));
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + TRUST_MS);
  for (const env of [instance, { ...worker.env }])
    await expectPage(await ask(env, 1, { "If-None-Match": etag }), records.toReversed());
});

test("an entity-tag of another version of the code returns 200", async () => {
  await loadInto(worker.env, "d1", makeRecords(60));
  const deployed = (id: string) => ({
    ...worker.env,
    CF_VERSION_METADATA: { id, tag: "", timestamp: "2026-11-21T00:00:00Z" },
  });
  const etag = String((await ask(deployed("11111111-a"))).headers.get("ETag"));
  expect((await ask(deployed("11111111-a"), 1, { "If-None-Match": etag })).status).toBe(304);
  expect((await ask(deployed("22222222-b"), 1, { "If-None-Match": etag })).status).toBe(200);
});
