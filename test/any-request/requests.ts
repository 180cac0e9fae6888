import fc from "fast-check";

/** The representation that the Accept header selects; `neither` if the service has none of the accepted types. */
export type Accepted = "json" | "html" | "neither" | "neither, but a browser";

/** An option of the mock. */
export interface Option {
  name: "code" | "delay" | "fail" | "seed" | "body";
  value: string;
  /** False if the value is invalid, so that the mock ignores the option. */
  isValid: boolean;
}

/** A request and what the test knows about the request, so that the model does not have to parse headers. */
export interface AnyRequest {
  method: string;
  url: URL;
  /** Several values are sent as several headers. */
  headers: Record<string, string | string[]>;
  body: string | undefined;
  accepted: Accepted;
  /** The options of the Prefer header, then those of the query, in order. */
  prefer: Option[];
  /** Whether one of those of the query is invalid. */
  isInvalid: boolean;
  /** The copy that `If-None-Match` names: none, another page, the current page, or any (`*`). */
  condition: "none" | "other" | "current" | "any";
  settings: Settings;
}

const PATH = "/api/tf1/records/";

// What a client may send in a request line: printable ASCII, percent-encoded or not, well-formed or not.
const printable = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
});
const encoded = fc.string({ unit: "binary" }).map((text) => encodeURIComponent(text.toWellFormed()));
const brokenEscape = fc.constantFrom("%", "%f", "%ff", "%00", "%2", "%u1234", "%C3%28");
const word = fc.oneof(
  printable.map((text) => text.replace(/[#?]/g, "")),
  encoded,
  brokenEscape,
);

const path = fc.oneof(
  { weight: 8, arbitrary: fc.constant(PATH) },
  { weight: 2, arbitrary: fc.constantFrom("/", "/openapi.json", "/docs", PATH.slice(0, -1)) },
  fc.constantFrom(`/${PATH}`, `${PATH}1`, "/%", "/%ff", "/..%2f", "/api//tf1", "/*", "/%64ocs", "/docs/"),
  fc.array(word, { maxLength: 4 }).map((words) => `/${words.join("/")}`),
);

const page = fc.oneof(
  fc.integer({ min: 1, max: 800 }).map(String),
  fc.integer({ min: 1, max: 4 }).map(String),
  fc.constantFrom("", "last", "0", "-1", "007", "1.5", "1e1", "%31", "9".repeat(400), "600479950316066"),
  word,
);
const format = fc.oneof(fc.constantFrom("api", "json", "", "xml", "API"), word);
const parameter = fc.oneof(
  { weight: 4, arbitrary: page.map((value) => `page=${value}`) },
  { weight: 2, arbitrary: format.map((value) => `format=${value}`) },
  fc
    .tuple(fc.oneof(fc.constantFrom("page[]", "__proto__", "a", "z"), word), word)
    .map((pair) => pair.join("=")),
);
const query = fc.array(parameter, { maxLength: 4 });

const ACCEPTED = [
  [undefined, "json"],
  ["*/*", "json"],
  ["application/json", "json"],
  ["text/html", "html"],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "html"],
  ["text/html;q=0.5, application/json;q=0.4", "html"],
  ["text/html, application/json", "json"],
  [["text/html;q=0.1", "application/json"], "json"],
  ["TEXT/HTML", "html"],
  ["image/png", "neither"],
  ["application/json;q=0", "neither"],
  ["application/xhtml+xml", "neither, but a browser"],
] as const;

const valid = (name: Option["name"], ...values: string[]) =>
  fc.constantFrom(...values).map((value): Option => ({ name, value, isValid: true }));
const option = fc.oneof(
  valid("code", "404", "409", "500", "503"),
  valid("fail", "0", "1"),
  valid("body", "empty", "garbage"),
  valid("delay", "0", "1", "0-1"),
  valid("seed", "4"),
  fc
    .constantFrom("code", "delay", "fail", "seed", "body")
    .map((name): Option => ({ name, value: "x", isValid: false })),
);
const options = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Option[]>([]) },
  fc.array(option, { minLength: 1, maxLength: 3 }),
);
const writeOptions = (list: Option[]) => list.map(({ name, value }) => `${name}=${value}`).join(",");

// These headers must not change the response. Some are repeated, very long, or contain non-ASCII text as Latin-1.
const text = fc.oneof(printable, fc.constantFrom("é", "ü".repeat(50), "a".repeat(500), "; , ="));
const others = fc.record(
  {
    origin: text,
    range: text,
    cookie: fc.oneof(text, fc.constant("a".repeat(4_000)), fc.array(text, { minLength: 2, maxLength: 3 })),
    "content-type": text,
    "user-agent": text,
    "x-forwarded-proto": text,
    "access-control-request-headers": text,
  },
  { requiredKeys: [] },
);

const method = fc.oneof(
  { weight: 8, arbitrary: fc.constant("GET") },
  fc.constantFrom("HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "PROPFIND"),
);

/** The settings of an instance. */
export interface Settings {
  publicOrigin?: string;
  /** Whether the client has sent too many requests. */
  limited?: boolean;
}

export const SETTINGS: Settings[] = [
  {},
  { publicOrigin: "https://public.example" },
  { publicOrigin: "http://public.example:8080", limited: false },
  { limited: true },
];

/** The entity-tag of the requested page; undefined if the request is not for a page. */
type FindEtag = (request: AnyRequest) => string | undefined;

const parts = fc.record({
  method,
  path,
  query,
  accepted: fc.constantFrom(...ACCEPTED),
  headerOptions: options,
  queryOptions: options,
  others,
  origin: fc.constantFrom(
    "http://localhost",
    "https://counts.example",
    "https://COUNTS.example:8080",
    "https://[::1]:8443",
  ),
  condition: fc.constantFrom("none", "none", "other", "current", "any", "list"),
  preflight: fc.boolean(),
  body: fc.option(fc.oneof(printable, fc.constant("{}")), { nil: undefined }),
  settings: fc.constantFrom(...SETTINGS),
});

/** Requests of all kinds. */
export function anyRequest(findEtag: FindEtag): fc.Arbitrary<AnyRequest> {
  return parts.map((drawn) => {
    const [accept, accepted] = drawn.accepted;
    const prefer = drawn.queryOptions.length > 0 ? [`prefer=${writeOptions(drawn.queryOptions)}`] : [];
    const query = [...drawn.query, ...prefer].join("&");
    const request: AnyRequest = {
      method: drawn.method,
      url: new URL(`${drawn.origin}${drawn.path}${query === "" ? "" : `?${query}`}`),
      headers: { ...drawn.others, ...(accept === undefined ? {} : { accept: accept as string | string[] }) },
      body: ["GET", "HEAD"].includes(drawn.method) ? undefined : drawn.body,
      accepted,
      prefer: [...drawn.headerOptions, ...drawn.queryOptions],
      isInvalid: drawn.queryOptions.some(({ isValid }) => !isValid),
      condition: "none",
      settings: drawn.settings,
    };
    if (drawn.headerOptions.length > 0) request.headers.prefer = writeOptions(drawn.headerOptions);
    if (drawn.preflight && drawn.method === "OPTIONS")
      request.headers["access-control-request-method"] = "GET";
    addCondition(request, drawn.condition, findEtag(request));
    return request;
  });
}

function addCondition(request: AnyRequest, drawn: string, etag = '"none"'): void {
  if (drawn === "none") return;
  request.condition = drawn === "list" ? "current" : (drawn as AnyRequest["condition"]);
  const values: Record<string, string | string[]> = {
    other: '"other", W/"old"',
    current: etag,
    any: "*",
    list: ['"other"', `W/${etag}, "old"`],
  };
  request.headers["if-none-match"] = values[drawn]!;
}
