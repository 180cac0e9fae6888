import { expect, test } from "vitest";
import { createRequestList } from "../../../tools/package/request-list.ts";

const createRequest = (number: number, headers: Record<string, string> = {}) =>
  new Request(`http://localhost/${number}`, { headers });

test("an entry has what the request had, and of 10,001 requests, the first is removed", () => {
  const { requests, add } = createRequestList();
  const headers = { accept: "*/*", prefer: "a=1, b=2", "x-empty": "" };
  const sent = { method: "GET", url: "http://localhost/0", headers, receivedAt: expect.any(Number) };
  expect(add(createRequest(0, headers))).toStrictEqual({
    ...sent,
    status: null,
    applied: [],
    changes: [],
    warnings: [],
  });
  for (let number = 1; number <= 10_000; number++) add(createRequest(number));
  expect([requests.length, requests[0]?.url]).toEqual([10_000, "http://localhost/1"]);
});

test.each([
  ["long", { "X-Long": "a".repeat(100_000) }, 198],
  // They take more memory than their text.
  ["many", Object.fromEntries(Array.from({ length: 1_400 }, (_, index) => [`x-${index}`, "1"])), 196],
])("the list has at most 20 MB of %s headers, also after clear", (_, headers, count) => {
  const { requests, add, clear } = createRequestList();
  for (const round of [1, 2]) {
    for (let number = 1; number <= 250; number++) add(createRequest(number, headers));
    const kept = [requests.length, requests.at(-1)?.url];
    expect(kept, `round ${round}`).toEqual([count, "http://localhost/250"]);
    clear();
    expect(requests).toEqual([]);
  }
});
