import { afterAll, expect, test } from "vitest";
import { makeRecords } from "../../records/sample.ts";
import { importPackage } from "./built.ts";
import { CALLS, makeCall } from "./fetch-calls.ts";

const service = (await importPackage()).createService({ records: makeRecords(1_000) });
const { url, close } = await service.listen({ port: 0 });
afterAll(close);

test.each(Object.keys(CALLS))("%s: does what the global fetch does over HTTP", async (name) => {
  const { fetch } = globalThis;
  expect(await makeCall(name, service.fetch, url)).toEqual(await makeCall(name, fetch, url));
});
