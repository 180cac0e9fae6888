import type { TrafficRecord } from "../../src/records/record.ts";
import { BROKEN, changeCount, changeLinks, changeText, RECORDS, service, testFaults } from "./breaking.ts";

testFaults([
  ["count is null", "Page envelope.count", /count is null/, () => changeCount(() => null)],
  ["count is negative", "Page envelope.count", /count is -1/, () => changeCount(() => -1)],
  ["count is a string", "Page envelope.count", /count is "40"/, () => changeCount(() => "40")],
  ["count is missing", "Page envelope.count", /count is nothing/, () => changeCount(() => undefined)],
  [
    "count is null on one page",
    "Page envelope.count",
    /page=2: /,
    () => changeCount((n) => (n === 2 ? null : 40)),
  ],
  [
    "count is written 40.0",
    "Page envelope.count",
    /is 40\.0/,
    () => changeText("2", '"count":40', '"count":40.0'),
  ],
  [
    "count is that of the page",
    "Page envelope.count",
    /count is 15, but pages 1 to 3 hold 40/,
    () => {
      service.envelope = (envelope) => ({ ...envelope, count: Object(envelope.results).length });
    },
  ],
  ["count is too small", "Page envelope.count", /count is 39, but .* hold 40/, () => changeCount(() => 39)],
  ["count is too large", "Page envelope.count", /count is 41, but .* hold 40/, () => changeCount(() => 41)],
  ["count is far too large", "Page envelope.count", /count is 100, but/, () => changeCount(() => 100)],
  [
    "a record is missing",
    "Page envelope.count",
    /count is 40, but .* hold 39/,
    () => {
      service.records = RECORDS.toSpliced(20, 1);
      changeCount(() => 40);
    },
  ],
  [
    "count is another on each page",
    "List records 5",
    /count is 42, but was 41/,
    () => changeCount((n) => 40 + n),
  ],
  ["count falls", "List records 5", /count is 40, but was 41/, () => changeCount((n) => (n === 3 ? 40 : 41))],
  [
    "count changes to and fro",
    "List records 5",
    /count is/,
    () => changeCount((_, index) => 40 + (index % 2)),
  ],
  [
    "next is relative",
    "Page envelope.next",
    /is not an absolute URL/,
    () => changeLinks((link, name) => (name === "next" ? link.slice(service.origin.length) : link)),
  ],
  [
    "previous is relative",
    "Page envelope.previous",
    /is not an absolute URL/,
    () => changeLinks((link, name) => (name === "previous" ? link.slice(service.origin.length) : link)),
  ],
  [
    "next has another host",
    "Page envelope.next",
    /is not http:\/\/127/,
    () => changeLinks((link, name) => (name === "next" ? link.replace("127.0.0.1", "localhost") : link)),
  ],
  [
    "next has another path",
    "Page envelope.next",
    /is not http/,
    () => changeLinks((link, name) => (name === "next" ? link.replace("tf1", "tf2") : link)),
  ],
  [
    "next has another order",
    "Page envelope.next",
    /is not http/,
    () =>
      changeLinks((link, name) =>
        name === "next" ? link.replace(/format=api&(page=\d)/, "$1&format=api") : link,
      ),
  ],
  [
    "next has another parameter",
    "Page envelope.next",
    /is not http/,
    () => changeLinks((link, name) => (name === "next" ? `${link}&size=15` : link)),
  ],
  [
    "next is a number",
    "Page envelope.next",
    /the link is 2, not a string/,
    () => changeLinks((link, name) => (name === "next" ? 2 : link)),
  ],
  [
    "previous is missing",
    "Page envelope.previous",
    /the link is nothing/,
    () => changeLinks((link, name) => (name === "previous" ? undefined : link)),
  ],
  [
    "next is null too early",
    "Page envelope.next",
    /page=2: next is null, but page 3 holds records/,
    () => {
      service.envelope = (envelope, number) => (number === 2 ? { ...envelope, next: null } : envelope);
    },
  ],
  [
    "links lack format=api",
    "Page envelope 2",
    /lacks format=api/,
    () => changeLinks((link) => link.replace("format=api&", "")),
  ],
  [
    "links have another format",
    "Page envelope 2",
    /lacks format=api/,
    () => changeLinks((link) => link.replace("format=api", "format=json")),
  ],
  [
    "next skips a page",
    "Page envelope 1",
    /leads to page 3/,
    () =>
      changeLinks((link, name) =>
        name === "next" ? link.replace(/\d$/, (n) => String(Number(n) + 1)) : link,
      ),
  ],
  [
    "previous is the page itself",
    "Page envelope 1",
    /leads to page 2/,
    () =>
      changeLinks((link, name) =>
        name === "previous" ? link.replace(/\d$/, (n) => String(Number(n) + 1)) : link,
      ),
  ],
  [
    "results is an object",
    "Page envelope.results",
    /page=2: results is \{/,
    () => {
      service.envelope = (envelope, number) =>
        number === 2 ? { ...envelope, results: { ...Object(envelope.results) } } : envelope;
    },
  ],
  [
    "a result is no record",
    "Page envelope.results",
    /result 3 is 7, not a record/,
    () => {
      service.records = RECORDS.with(BROKEN, 7 as unknown as TrafficRecord);
    },
  ],
  [
    "pages hold 14",
    "List records 1",
    /holds 14 records/,
    () => {
      service.size = 14;
    },
  ],
  [
    "pages hold 16",
    "List records 1",
    /holds 16 records/,
    () => {
      service.size = 16;
    },
  ],
  [
    "one page holds 14",
    "List records 1",
    /page=2: holds 14 records/,
    () => {
      service.envelope = (envelope, number) =>
        number === 2 ? { ...envelope, results: Object(envelope.results).slice(1) } : envelope;
    },
  ],
]);
