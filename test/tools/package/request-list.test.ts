import { expect, test } from "vitest";
import { createRequestList } from "../../../tools/package/request-list.ts";

const createRequest = (number: number, headers: Record<string, string> = {}) =>
  new Request(`http://localhost/${number}`, { headers });

const LONG = { "X-Long": "a".repeat(1_000_000) };

test("an entry has what the request had, and headers as the client sent them", () => {
  const { requests, add } = createRequestList();
  const received = add(createRequest(1, { Accept: "*/*", "X-Empty": "", Prefer: "a=1, b=2" }));
  received.status = 200;
  const { headers, ...others } = received;
  expect(requests).toEqual([received]);
  const sent = { method: "GET", url: "http://localhost/1", receivedAt: expect.any(Number) };
  expect(others).toEqual({ ...sent, status: 200, applied: [], changes: [], warnings: [] });
  expect(Object.fromEntries(headers)).toEqual({ accept: "*/*", prefer: "a=1, b=2", "x-empty": "" });
});

test("of 10,001 requests, the first is removed", () => {
  const { requests, add } = createRequestList();
  for (let number = 1; number <= 10_001; number++) add(createRequest(number));
  expect([requests.length, requests[0]?.url]).toEqual([10_000, "http://localhost/2"]);
});

test("the list has at most 20 MB of headers, and at least the latest requests", () => {
  const { requests, add } = createRequestList();
  for (let number = 1; number <= 50; number++) add(createRequest(number, LONG));
  expect([requests.length, requests.at(-1)?.url]).toEqual([19, "http://localhost/50"]);
});

test("after clear, the list has room for as many requests as before", () => {
  const { requests, add, clear } = createRequestList();
  for (let number = 1; number <= 15; number++) add(createRequest(number, LONG));
  clear();
  expect(requests).toEqual([]);
  for (let number = 1; number <= 15; number++) add(createRequest(number, LONG));
  expect(requests).toHaveLength(15);
});
