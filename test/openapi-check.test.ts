import { expect, test } from "vitest";
import { describeService } from "../src/openapi.ts";
import { checkDocumented } from "./openapi-check.ts";

const ORIGIN = "http://localhost";
const PATH = "/api/tf1/records/";

const list = describeService(ORIGIN).paths[PATH]!.get!;
const PAGE = JSON.stringify(list.responses[200]!.content!["application/json"]!.examples!.example1!.value);
const ERROR = '{"detail":"Invalid page."}';

/** How a response differs from the usual page, or with a status from the usual error. */
interface Case {
  method?: string;
  sent?: Record<string, string>;
  status?: number;
  /** Headers that are changed; without their value, they are missing. */
  headers?: Record<string, string | undefined>;
  body?: string | null;
}

function check({ method = "GET", sent = {}, status = 200, headers, body }: Case): Promise<void> {
  const isPage = status < 400;
  const all = {
    allow: "GET, OPTIONS",
    vary: "Accept",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "*",
    "x-content-type-options": "nosniff",
    "content-type": "application/json",
    etag: isPage ? '"1-2-3"' : undefined,
    "cache-control": isPage ? "public, max-age=5, stale-if-error=3600" : "no-store",
    ...headers,
  };
  const present = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const text = body === undefined ? (isPage ? PAGE : ERROR) : body;
  const request = { method, url: ORIGIN + PATH, headers: new Headers(sent) };
  return checkDocumented(request, new Response(text, { status, headers: present }));
}

const empty = { body: null, headers: { "content-type": undefined } };
const preflight = { "access-control-request-method": "GET" };

test("a page passes, because it is documented", () => check({}));

test.each<[string, Case, RegExp]>([
  ["an unknown status", { status: 418 }, /status 418/],
  ["405 to GET", { status: 405 }, /status 405/],
  ["200 to POST", { method: "POST" }, /status 200/],
  ["204 to OPTIONS", { method: "OPTIONS", status: 204, ...empty }, /status 204/],
  ["200 to a preflight", { method: "OPTIONS", sent: preflight }, /status 200/],
  ["no Allow", { headers: { allow: undefined } }, /headers must have required property 'allow'/],
  ["a weak ETag", { headers: { etag: 'W/"1"' } }, /headers\/etag must match pattern/],
  ["a header of another response", { headers: { "retry-after": "5" } }, /retry-after is not documented here/],
  ["an error that may be cached", { status: 404, headers: { "cache-control": "public" } }, /cache-control/],
  ["a word as Retry-After", { status: 503, headers: { "retry-after": "soon" } }, /must be integer/],
  ["a charset", { headers: { "content-type": "application/json; charset=UTF-8" } }, /content type/],
  ["no content type", empty, /content type null/],
  ["HEAD with a body", { method: "HEAD" }, /a body in the response to HEAD/],
  [
    "a missing field",
    { body: PAGE.replace(/"buses":\d+,/, "") },
    /results\/0 must have required property 'buses'/,
  ],
  ["an additional field", { body: PAGE.replace('"next"', '"pages":1,"next"') }, /additional properties/],
  ["a relative link", { body: PAGE.replace(ORIGIN, "") }, /next must match format "uri"/],
  ["16 records", { body: PAGE.replace(/"results":\[(\{.*?\})/, '"results":[$1,$1') }, /more than 15/],
  ["an error instead of a page", { body: ERROR }, /'results'/],
])("%s fails", async (_, tested, problem) => {
  await expect(check(tested)).rejects.toThrow(problem);
});
