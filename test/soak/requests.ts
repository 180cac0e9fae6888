import { type Expected, invalidPage } from "./collection.ts";

export interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** The response must be this page of the loaded collection. */
  page?: number | "last";
  /** The expected response if `page` is not set. */
  expected?: Expected;
}

/** A kind of request; the weight says how often it is sent, compared with the other kinds. */
export interface Kind {
  name: string;
  weight: number;
  /**
   * @param page a random page number
   * @param etag the entity-tag of the client's copy of the page, if it has one
   */
  make(page: number, etag: string | undefined): Partial<Request>;
}

const PATH = "/api/tf1/records/";
const pageOf = (page: number | string) => `${PATH}?format=api&page=${page}`;
const failure = (status: number, detail: string): Expected => ({ status, body: JSON.stringify({ detail }) });
const NOT_FOUND = failure(404, "Not found.");
const BAD_PAGES = ["0", "-1", "1.5", "abc", "2%00", "1e3", "%ff", "9".repeat(40)];

const KINDS: Kind[] = [
  { name: "page", weight: 50, make: (page) => ({ path: pageOf(page), page }) },
  { name: "first page", weight: 15, make: () => ({ path: pageOf(1), page: 1 }) },
  { name: "last page", weight: 5, make: () => ({ path: pageOf("last"), page: "last" }) },
  {
    name: "If-None-Match",
    weight: 10,
    make: (page, etag) => ({
      path: pageOf(page),
      page,
      headers: etag ? { "if-none-match": etag } : {},
    }),
  },
  {
    name: "HEAD",
    weight: 3,
    make: () => ({ method: "HEAD", path: pageOf(1), expected: { status: 200, body: "" } }),
  },
  { name: "past the end", weight: 3, make: () => ({ path: pageOf(10_000_000), expected: invalidPage }) },
  {
    name: "bad page",
    weight: 3,
    make: (page) => ({ path: pageOf(BAD_PAGES[page % BAD_PAGES.length]!), expected: invalidPage }),
  },
  {
    name: "bad format",
    weight: 2,
    make: (page) => ({ path: `${PATH}?format=xml&page=${page}`, expected: NOT_FOUND }),
  },
  {
    name: "bad Accept",
    weight: 2,
    make: (page) => ({
      path: pageOf(page),
      headers: { accept: "image/png" },
      expected: failure(406, "Could not satisfy the request Accept header."),
    }),
  },
  { name: "OPTIONS", weight: 2, make: () => ({ method: "OPTIONS", expected: { status: 200 } }) },
  {
    name: "preflight",
    weight: 2,
    make: () => ({
      method: "OPTIONS",
      headers: { origin: "https://app.example", "access-control-request-method": "GET" },
      expected: { status: 204, body: "" },
    }),
  },
  {
    name: "POST",
    weight: 2,
    make: () => ({ method: "POST", expected: failure(405, 'Method "POST" not allowed.') }),
  },
  { name: "other path", weight: 1, make: (page) => ({ path: `/elsewhere/${page}`, expected: NOT_FOUND }) },
];

const TOTAL = KINDS.reduce((sum, { weight }) => sum + weight, 0);

/** Chooses the kind of the next request at random. */
export function drawKind(): Kind {
  let ticket = Math.random() * TOTAL;
  for (const kind of KINDS) {
    ticket -= kind.weight;
    if (ticket < 0) return kind;
  }
  return KINDS[0]!;
}

export function makeRequest(kind: Kind, page: number, etag: string | undefined): Request {
  return { method: "GET", path: PATH, headers: {}, ...kind.make(page, etag) };
}
