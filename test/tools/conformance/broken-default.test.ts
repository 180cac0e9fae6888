import { type Break, changeReply, service, testFaults } from "./breaking.ts";
import type { Reply } from "./service.ts";

const ALONE = /\?format=api: /;

/** Changes the envelope that is answered without page number, and no other. */
const changeFields = (alter: (envelope: Record<string, unknown>) => object) => () =>
  changeReply(null, ({ body }) => {
    const envelope = JSON.parse(String(body));
    return { body: JSON.stringify({ ...envelope, ...alter(envelope) }) };
  });

const changeHeader = (headers: Record<string, string>) => () =>
  changeReply(null, (reply: Reply) => ({ headers: { ...reply.headers, ...headers } }));

const withoutHeader = (name: string): Break => [
  `${name} is missing`,
  `List records.${name}`,
  ALONE,
  () => changeReply(null, ({ headers: { [name]: _, ...headers } }) => ({ headers })),
];

/** Without page number only: all other answers are as they should be. */
testFaults([
  withoutHeader("Allow"),
  withoutHeader("Vary"),
  withoutHeader("Content-Type"),
  [
    "Content-Type is text/html",
    "List records.Content-Type",
    ALONE,
    changeHeader({ "Content-Type": "text/html" }),
  ],
  ["Allow lists POST", "List records.Allow", ALONE, changeHeader({ Allow: "GET, POST, OPTIONS" })],
  [
    "next is relative",
    "Page envelope.next",
    /\?format=api: .* is not an absolute URL/,
    changeFields(({ next }) => ({ next: String(next).slice(service.origin.length) })),
  ],
  ["next is null", "Page envelope.next", /\?format=api: next is null/, changeFields(() => ({ next: null }))],
  ["previous is a number", "Page envelope.previous", ALONE, changeFields(() => ({ previous: 0 }))],
  [
    "next leads to the page itself",
    "Page envelope 1",
    /\?format=api: .* leads to page 1/,
    changeFields(({ next }) => ({ next: String(next).replace("page=2", "page=1") })),
  ],
  [
    "next lacks format=api",
    "Page envelope 2",
    ALONE,
    changeFields(({ next }) => ({ next: String(next).replace("format=api&", "") })),
  ],
  [
    "count is null",
    "Page envelope.count",
    /\?format=api: count is null/,
    changeFields(() => ({ count: null })),
  ],
  [
    "count is another",
    "List records 5",
    /\?format=api: count is 41, but 40 on page 1/,
    changeFields(() => ({ count: 41 })),
  ],
  [
    "a name stands twice",
    "List records.body",
    ALONE,
    () => changeReply(null, ({ body }) => ({ body: String(body).replace("{", '{"count":40,') })),
  ],
  [
    "the records are in another order",
    "List records.page default",
    /has other records than page 1/,
    changeFields(({ results }) => ({ results: Object(results).toReversed() })),
  ],
]);
