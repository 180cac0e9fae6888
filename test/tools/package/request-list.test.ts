import { expect, test } from "vitest";
import { createRequestList } from "../../../tools/package/request-list.ts";

const createRequest = (number: number, headers: Record<string, string> = {}) =>
  new Request(`http://localhost/${number}`, { headers });

const LONG = { "X-Long": "a".repeat(1_000_000) };

test("an entry has what the request had, and of 10,001 requests, the first is removed", () => {
  const { requests, add } = createRequestList();
  const headers = { accept: "*/*", prefer: "a=1, b=2", "x-empty": "" };
  const sent = {
    method: "GET",
    url: "http://localhost/0",
    headers,
    receivedAt: expect.any(Number),
    status: null,
  };
  expect(add(createRequest(0, headers))).toStrictEqual({ ...sent, applied: [], changes: [], warnings: [] });
  for (let number = 1; number <= 10_000; number++) add(createRequest(number));
  expect([requests.length, requests[0]?.url]).toEqual([10_000, "http://localhost/1"]);
});

test("the list has at most 20 MB of headers, and at least the latest requests, also after clear", () => {
  const { requests, add, clear } = createRequestList();
  for (const round of [1, 2]) {
    for (let number = 1; number <= 50; number++) add(createRequest(number, LONG));
    expect([requests.length, requests.at(-1)?.url], `round ${round}`).toEqual([19, "http://localhost/50"]);
    clear();
    expect(requests).toEqual([]);
  }
});

test("the list counts more than the text of small headers, which take more memory", () => {
  const { requests, add } = createRequestList();
  const headers = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x-${index}`, "1"]));
  for (let number = 1; number <= 500; number++) add(createRequest(number, headers));
  expect(requests.length).toBeLessThan(300);
});
