import { expect, test } from "vitest";
import { createRequestList } from "../../../tools/package/request-list.ts";

const createRequest = (number: number, headers: Record<string, string> = {}) => ({
  method: "GET",
  url: `http://localhost/${number}`,
  headers: new Headers(headers),
  status: null,
  applied: [],
});

test("of 10,001 requests, the first is removed", () => {
  const { requests, add } = createRequestList();
  for (let number = 1; number <= 10_001; number++) add(createRequest(number));
  expect([requests.length, requests[0]?.url]).toEqual([10_000, "http://localhost/2"]);
});

test("the list has at most 50 MB of headers, and at least the latest requests", () => {
  const { requests, add } = createRequestList();
  for (let number = 1; number <= 120; number++)
    add(createRequest(number, { "X-Long": "a".repeat(1_000_000) }));
  expect([requests.length, requests.at(-1)?.url]).toEqual([49, "http://localhost/120"]);
});

test("many short headers count with the memory of their objects", () => {
  const { requests, add } = createRequestList();
  const headers = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x-${index}`, "1"]));
  for (let number = 1; number <= 400; number++) add(createRequest(number, headers));
  expect(requests.length).toBeLessThan(350);
});

test("after clear, the list has room for as many requests as before", () => {
  const { requests, add, clear } = createRequestList();
  for (let number = 1; number <= 40; number++)
    add(createRequest(number, { "X-Long": "a".repeat(1_000_000) }));
  clear();
  expect(requests).toEqual([]);
  for (let number = 1; number <= 40; number++)
    add(createRequest(number, { "X-Long": "a".repeat(1_000_000) }));
  expect(requests).toHaveLength(40);
});
