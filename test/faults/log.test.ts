import { beforeAll, describe, expect, test } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import { STATE_KEY } from "../../src/store/kv.ts";
import { makeRecords } from "../records/sample.ts";
import { untilFresh } from "../serve.ts";
import { loadInto, startWorker, useWorker } from "../worker.ts";

const PATH = "/api/tf1/records/";

/** A secret of the client, which must not appear in the log. */
const SECRET = "s3cr3t";
const client = {
  headers: {
    "User-Agent": `${SECRET}-agent`,
    "CF-Connecting-IP": "192.0.2.77",
    Referer: `https://app.example/${SECRET}`,
    Cookie: SECRET,
  },
};

describe.each(STORE_NAMES)("what is logged when %s fails", (store) => {
  const worker = useWorker({ vars: { STORE: store } });
  let lines: string[];
  beforeAll(async () => {
    await loadInto(worker.env, store, makeRecords(1_000));
    const ask = async (path: string) => (await worker.fetch(`${path}?${SECRET}=1`, client)).status;
    expect(await ask(PATH)).toBe(200);
    if (store === "d1") await worker.env.DB.prepare("DROP TABLE state").run();
    else await worker.env.KV.put(STATE_KEY, `{\n"broken": true`);
    await untilFresh();
    expect([await ask(PATH), await ask("/healthz"), await ask("/"), await ask(`/${SECRET}`)]).toEqual([
      200, 503, 503, 404,
    ]);
    expect(await ask(PATH), "without asking the store, so without a line").toBe(200);
    const other = await worker.fetch(`${PATH}?page=last&${SECRET}`, client);
    expect(other.status, "lies in a block that is not kept").toBe(503);
    lines = worker.logs();
  });

  const kept = { event: "kept_served", store };
  const failed = (path: string) => ({ event: "request_failed", store, method: "GET", path, status: 503 });

  test("is one line of JSON per failure, with what failed, where and why", () => {
    const reason = store === "d1" ? /no such table: state/ : /not JSON in collection \(SyntaxError: /;
    const about = { reason: expect.stringMatching(reason), at: expect.any(Array) };
    expect(lines.join("\n").split("\n")).toEqual(lines);
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      [kept, failed("/healthz"), failed("/"), failed(PATH)].map((facts) => ({ ...facts, ...about })),
    );
  });

  test("names the place in the code", () => {
    for (const line of lines) expect(JSON.parse(line).at.join()).toMatch(/index\.js:\d+:\d+/);
  });

  test("contains nothing about the client", () => {
    for (const part of [SECRET, "192.0.2.77", "app.example", "page=", worker.origin])
      expect(lines.join("\n")).not.toContain(part);
  });
});

test("mistakes of clients and requested faults are not logged", async () => {
  const worker = await startWorker();
  for (const [path, headers] of [
    ["/nothing", {}],
    [`${PATH}?page=0`, {}],
    [PATH, { Accept: "image/png" }],
    [PATH, { Prefer: "code=503" }],
  ] as const)
    expect((await worker.fetch(path, { headers })).status).toBeGreaterThanOrEqual(400);
  const lines = worker.logs();
  await worker.close();
  expect(lines).toEqual([]);
});
