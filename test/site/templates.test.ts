import { expect, test } from "vitest";
import app from "../../src/index.ts";
import { describeService } from "../../src/openapi.ts";
import { essential } from "../records/headers.ts";
import { context, useWorker } from "../worker.ts";

const PATH = "/openapi.json";

// The document does not need the store.
const worker = useWorker({ migrate: false });

const HEADERS = {
  "content-type": "application/json",
  "cache-control": "public, max-age=300, stale-if-error=86400",
  etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  "x-content-type-options": "nosniff",
};

test("GET returns the document, with the origin of the request as its server", async () => {
  const response = await worker.fetch(PATH);
  expect(response.status).toBe(200);
  expect(essential(response.headers)).toEqual(HEADERS);
  expect(await response.text()).toBe(JSON.stringify(describeService(worker.origin)));
});

test("HEAD returns the response of GET without the body", async () => {
  const response = await worker.fetch(PATH, { method: "HEAD" });
  expect(response.status).toBe(200);
  expect(essential(response.headers)).toEqual(HEADERS);
  expect(await response.text()).toBe("");
});

test("a request with the current ETag gets 304, and with any other ETag 200", async () => {
  const etag = (await worker.fetch(PATH)).headers.get("etag")!;
  const current = await worker.fetch(PATH, { headers: { "if-none-match": etag } });
  expect(current.status).toBe(304);
  expect(await current.text()).toBe("");
  const { "content-type": _, ...expected } = HEADERS;
  expect(essential(current.headers)).toEqual(expected);
  expect((await worker.fetch(PATH, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
});

test("every origin gets its own document, in any order", async () => {
  const request = async (url: string, publicOrigin?: string) => {
    const env = publicOrigin ? { ...worker.env, PUBLIC_ORIGIN: publicOrigin } : worker.env;
    const response = await app.request(url + PATH, {}, env, context);
    const { servers } = JSON.parse(await response.text());
    return [servers[0].url, response.headers.get("etag")];
  };
  const one = await request("https://one.example");
  const [two, again, replaced] = await Promise.all([
    request("http://two.example:8080"),
    request("https://one.example"),
    request("http://inside:8787", "https://counts.example"),
  ]);
  expect(one[0]).toBe("https://one.example");
  expect(two[0]).toBe("http://two.example:8080");
  expect(again).toEqual(one);
  expect(replaced[0]).toBe("https://counts.example");
  expect(new Set([one, two, replaced].map(([, etag]) => etag)).size).toBe(3);
});
