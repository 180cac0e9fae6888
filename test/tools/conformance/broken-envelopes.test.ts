import type { TrafficRecord } from "../../../src/records/record.ts";
import { BROKEN, changeLinks, RECORDS, testFaults } from "./broken-service.ts";
import { service } from "./fake-service.ts";

testFaults([
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
    "next has its parameters in another order",
    "Page envelope.next",
    /is not http/,
    () =>
      changeLinks((link, name) =>
        name === "next" ? link.replace(/format=api&(page=\d)/, "$1&format=api") : link,
      ),
  ],
  [
    "next has an additional parameter",
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
    /the link is missing/,
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
    "links do not have format=api",
    "Page envelope 2",
    /does not have format=api/,
    () => changeLinks((link) => link.replace("format=api&", "")),
  ],
  [
    "links have another format",
    "Page envelope 2",
    /does not have format=api/,
    () => changeLinks((link) => link.replace("format=api", "format=json")),
  ],
  [
    "next skips a page",
    "Page envelope 1",
    /points to page 3/,
    () =>
      changeLinks((link, name) =>
        name === "next" ? link.replace(/\d$/, (n) => String(Number(n) + 1)) : link,
      ),
  ],
  [
    "previous points to the page itself",
    "Page envelope 1",
    /points to page 2/,
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
    "a result is not a record",
    "Page envelope.results",
    /result 3 is 7, not a record/,
    () => {
      service.records = RECORDS.with(BROKEN, 7 as unknown as TrafficRecord);
    },
  ],
  [
    "pages hold 14 records",
    "List records 1",
    /holds 14 records/,
    () => {
      service.size = 14;
    },
  ],
  [
    "pages hold 16 records",
    "List records 1",
    /holds 16 records/,
    () => {
      service.size = 16;
    },
  ],
  [
    "one page holds 14 records",
    "List records 1",
    /page=2: holds 14 records/,
    () => {
      service.envelope = (envelope, number) =>
        number === 2 ? { ...envelope, results: Object(envelope.results).slice(1) } : envelope;
    },
  ],
]);
