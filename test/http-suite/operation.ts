import { expect } from "vitest";
import { CHROMIUM, type Exchange, PATH, type Target } from "./exchange.ts";

/** What monitors request. */
export function listHealth({ count, load, records, prefer, hasFaults = true }: Target): Exchange[] {
  const headers = { "content-type": "application/json", "cache-control": "no-store", "retry-after": null };
  const version = expect.objectContaining({ id: expect.any(String), tag: expect.any(String) });
  const state = {
    load: load === "" ? null : expect.any(String),
    count: records ? count : expect.any(Number),
    // Nothing loads the seed of a deployment.
    loaded_at: expect.toBeOneOf([null, expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)]),
    age_seconds: expect.toBeOneOf([null, expect.any(Number)]),
    source: expect.any(String),
  };
  const store = expect.stringMatching(/^(d1|kv|seed|memory)$/);
  const mock = { faults: hasFaults, prefer: prefer ?? null };
  const healthy = { headers, body: { status: "ok", code: version, store, ...mock, state } };
  return [
    { send: "/healthz", with: { accept: CHROMIUM }, ...healthy },
    { send: "/healthz?prefer=code=500", with: { prefer: "code=500, body=garbage" }, ...healthy },
    { send: "HEAD /healthz", headers, body: "" },
    ...["POST", "PUT", "OPTIONS"].map((method) => ({
      send: `${method} /healthz`,
      status: 405,
      headers: { allow: "GET, HEAD" },
      body: { detail: `Method "${method}" not allowed.` },
    })),
  ];
}

/** What the mock changes, as a header and as a parameter. */
export function listFaults(): Exchange[] {
  const faulty = { "cache-control": "no-store", etag: null };
  const prefer = (text: string, status: number, headers: Exchange["headers"], body?: unknown): Exchange => ({
    send: PATH,
    with: { prefer: text },
    status,
    headers: { "preference-applied": text, "access-control-expose-headers": "*", vary: "Accept", ...headers },
    ...(body !== undefined && { body }),
  });
  return [
    prefer(
      "code=503",
      503,
      { ...faulty, "retry-after": "2" },
      { detail: "Service temporarily unavailable, try again later." },
    ),
    prefer(
      "code=404, body=garbage",
      404,
      { ...faulty, "content-type": "application/json" },
      /^\{"count": 1, .*<not json>$/,
    ),
    prefer("body=empty", 200, faulty, ""),
    prefer("delay=1", 200, faulty, /^{"count":/),
    ...["fail=0", "fail=0, body=garbage"].map((text) =>
      prefer(
        text,
        200,
        { "preference-applied": null, "cache-control": "no-cache", etag: /^"/ },
        /^\{"count":.*\}$/,
      ),
    ),
    prefer("respond-async", 200, {
      "preference-applied": null,
      "mock-warning": null,
      "cache-control": /max-age=5/,
    }),
    prefer("code=200, delay=1", 200, {
      ...faulty,
      "preference-applied": "delay=1",
      "mock-warning": /^code=200 is invalid: /,
    }),
    {
      ...prefer("delay=1", 200, faulty),
      send: `${PATH}?page=last`,
      with: { prefer: "delay=1", "if-none-match": "*" },
    },
    {
      send: `${PATH}?prefer=next=null,count=%2B7`,
      headers: faulty,
      body: expect.objectContaining({ next: null }),
    },
    { send: `${PATH}?prefer=delay=1`, body: /"next":"[^"]*[?&]prefer=delay%3D1"/, needs: 2 },
    {
      send: `${PATH}?prefer=dealy=5`,
      status: 400,
      headers: { "cache-control": "no-store", "mock-warning": null },
      body: { detail: "dealy=5 is unknown. Did you mean delay?" },
    },
    {
      send: `${PATH.slice(0, -1)}?prefer=delay=1`,
      status: 301,
      headers: { location: `${PATH}?prefer=delay=1`, "cache-control": "no-store" },
    },
  ];
}
