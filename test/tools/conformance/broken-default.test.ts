import { changeReply, type Fault, testFaults } from "./broken-service.ts";
import { type Reply, service } from "./fake-service.ts";

const DEFAULT_PAGE = /\?format=api: /;

/** Changes only the envelope of the response to a request without a page number. */
const changeFields = (alter: (envelope: Record<string, unknown>) => object) => () =>
  changeReply(null, ({ body }) => {
    const envelope = JSON.parse(String(body));
    return { body: JSON.stringify({ ...envelope, ...alter(envelope) }) };
  });

const changeHeader = (headers: Record<string, string>) => () =>
  changeReply(null, (reply: Reply) => ({ headers: { ...reply.headers, ...headers } }));

const withoutHeader = (name: string): Fault => [
  `${name} is missing`,
  `List records.${name}`,
  DEFAULT_PAGE,
  () => changeReply(null, ({ headers: { [name]: _, ...headers } }) => ({ headers })),
];

// Only the response to a request without a page number is wrong. All other responses conform.
testFaults([
  withoutHeader("Allow"),
  withoutHeader("Vary"),
  withoutHeader("Content-Type"),
  [
    "Content-Type is text/html",
    "List records.Content-Type",
    DEFAULT_PAGE,
    changeHeader({ "Content-Type": "text/html" }),
  ],
  ["Allow lists POST", "List records.Allow", DEFAULT_PAGE, changeHeader({ Allow: "GET, POST, OPTIONS" })],
  [
    "next is relative",
    "Page envelope.next",
    /\?format=api: .* is not an absolute URL/,
    changeFields(({ next }) => ({ next: String(next).slice(service.origin.length) })),
  ],
  ["next is null", "Page envelope.next", /\?format=api: next is null/, changeFields(() => ({ next: null }))],
  ["previous is a number", "Page envelope.previous", DEFAULT_PAGE, changeFields(() => ({ previous: 0 }))],
  [
    "next points to the page itself",
    "Page envelope 1",
    /\?format=api: .* points to page 1/,
    changeFields(({ next }) => ({ next: String(next).replace("page=2", "page=1") })),
  ],
  [
    "next does not have format=api",
    "Page envelope 2",
    DEFAULT_PAGE,
    changeFields(({ next }) => ({ next: String(next).replace("format=api&", "") })),
  ],
  [
    "count is null",
    "Page envelope.count",
    /\?format=api: count is null/,
    changeFields(() => ({ count: null })),
  ],
  [
    "count is different",
    "List records 5",
    /\?format=api: count is 41, but it is 40 on page 1/,
    changeFields(() => ({ count: 41 })),
  ],
  [
    "an object has a name twice",
    "List records.body",
    DEFAULT_PAGE,
    () => changeReply(null, ({ body }) => ({ body: String(body).replace("{", '{"count":40,') })),
  ],
  [
    "the records are in another order",
    "List records.page default",
    /has different records than page 1/,
    changeFields(({ results }) => ({ results: Array.isArray(results) ? results.toReversed() : results })),
  ],
]);
