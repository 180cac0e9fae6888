import { expect, test } from "vitest";
import { describeService } from "../../src/openapi.ts";
import { createInstance, createMemoryService, ORIGIN } from "../memory-service.ts";

const service = await createMemoryService();
const read = async (url: string, { fetch } = createInstance(service.store)) => {
  const response = await fetch(`${url}/openapi.json`);
  const text = await response.text();
  return { text, origin: JSON.parse(text).servers[0].url, etag: response.headers.get("etag") };
};

test("the document is that of the code, with the origin of the request as its server", async () => {
  expect((await read(ORIGIN)).text).toBe(JSON.stringify(describeService(ORIGIN)));
});

test("an origin with a pattern of String.replace is written as it is", async () => {
  expect((await read("https://a$&b.example")).origin).toBe("https://a$&b.example");
});

test("every origin gets its own document and entity-tag, in any order", async () => {
  const one = await read("https://one.example", service);
  const [two, again, replaced] = await Promise.all([
    read("http://two.example:8080", service),
    read("https://one.example", service),
    read(
      "http://inside",
      createInstance(service.store, { settings: { PUBLIC_ORIGIN: "https://p.example" } }),
    ),
  ]);
  expect([one, two, replaced].map(({ origin }) => origin)).toEqual([
    "https://one.example",
    "http://two.example:8080",
    "https://p.example",
  ]);
  expect(again).toEqual(one);
  expect(new Set([one, two, replaced].map(({ etag }) => etag)).size).toBe(3);
});
