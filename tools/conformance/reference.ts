import { lastPage } from "../../src/records/page.ts";
import type { HttpRequest } from "../http-client/messages.ts";
import type { ResponseEvent } from "./events.ts";
import { type ExtraRequests, sendPlain } from "./plain-request.ts";
import { describeValue } from "./response-body.ts";
import {
  describeStatus,
  type Judgement,
  requireError,
  requireHeader,
  requireLink,
  requirePart,
  requireStatus,
} from "./response-checks.ts";

/** The URL of the collection with a query, and how many pages it has. */
interface Subject {
  at(query: string): string;
  pages: number;
}

/** One row of the reference: a request, and what this project's service responds where the specification is silent. */
interface ReferenceCase {
  name: string;
  sentence: string;
  request(subject: Subject, earlier: ResponseEvent | undefined): Partial<HttpRequest> & { url: string };
  judge(response: ResponseEvent, subject: Subject): Judgement;
}

const ORIGIN = "https://client.example";

const get =
  (query: string, headers: Record<string, string> = {}) =>
  (subject: Subject) => ({
    url: subject.at(query),
    headers,
  });

/** The rows in the order of docs/conformance.md. A row may use the response to the row before it. */
export const REFERENCE: ReferenceCase[] = [
  {
    name: "bare path",
    sentence: "Without a query the response is page 1",
    request: get(""),
    judge: (response) => requireStatus(response, 200) ?? requireLink(response, "previous", null),
  },
  {
    name: "nosniff",
    sentence: "X-Content-Type-Options: nosniff on every response",
    request: get("?format=api&page=1"),
    judge: (response) => requireHeader(response, "X-Content-Type-Options", "nosniff"),
  },
  {
    name: "HEAD",
    sentence: "HEAD is like GET, without a body",
    request: (subject) => ({ url: subject.at("?format=api&page=1"), method: "HEAD" }),
    judge: (response) =>
      requireStatus(response, 200) ??
      (response.body === "" ? undefined : "has a body") ??
      requireHeader(response, "Content-Type", "application/json"),
  },
  {
    name: "ETag",
    sentence: "Pages have a strong ETag",
    request: get("?format=api&page=1"),
    judge: ({ headers }) =>
      /^"[^"]*"$/.test(headers.get("ETag") ?? "") || `ETag is ${describeValue(headers.get("ETag"))}`,
  },
  {
    name: "304",
    sentence: "If-None-Match with the ETag gets 304 without a body",
    request: (subject, earlier) => ({
      url: subject.at("?format=api&page=1"),
      headers: { "If-None-Match": earlier?.headers.get("ETag") ?? '"none"' },
    }),
    judge: (response) => requireStatus(response, 304) ?? (response.body === "" || "has a body"),
  },
  {
    name: "CORS",
    sentence: "Access-Control-Allow-Origin: * on pages",
    request: get("?format=api&page=1", { Origin: ORIGIN }),
    judge: (response) => requireHeader(response, "Access-Control-Allow-Origin", "*"),
  },
  {
    name: "CORS of errors",
    sentence: "Access-Control-Allow-Origin: * on errors",
    request: get("?format=api&page=0", { Origin: ORIGIN }),
    judge: (response) => requireHeader(response, "Access-Control-Allow-Origin", "*"),
  },
  {
    name: "preflight",
    sentence: "OPTIONS with Access-Control-Request-Method is a preflight and gets 204",
    request: (subject) => ({
      url: subject.at("?format=api&page=1"),
      method: "OPTIONS",
      headers: { Origin: ORIGIN, "Access-Control-Request-Method": "GET" },
    }),
    judge: (response) =>
      requireStatus(response, 204) ?? requireHeader(response, "Access-Control-Allow-Origin", "*"),
  },
  ...["0", "-1", "abc", "1.5"].map(
    (page): ReferenceCase => ({
      name: `page=${page}`,
      sentence: 'An invalid page gets 404 {"detail":"Invalid page."}',
      request: get(`?format=api&page=${page}`),
      judge: (response) => requireError(response, 404, "Invalid page."),
    }),
  ),
  {
    name: "past the end",
    sentence: 'A page after the last one gets 404 {"detail":"Invalid page."}',
    request: (subject) => ({ url: subject.at(`?format=api&page=${subject.pages + 1_000}`) }),
    judge: (response) => requireError(response, 404, "Invalid page."),
  },
  {
    name: "error headers",
    sentence: "Errors have Allow: GET, OPTIONS, Vary: Accept and Content-Type: application/json",
    request: get("?format=api&page=0"),
    judge(response) {
      const headers = { Allow: "GET, OPTIONS", Vary: "Accept", "Content-Type": "application/json" };
      const findings = Object.entries(headers).map(([name, value]) => requireHeader(response, name, value));
      return findings.find((finding) => finding !== true) ?? true;
    },
  },
  {
    name: "page=last",
    sentence: "page=last is the last page",
    request: get("?format=api&page=last"),
    judge: (response) => requireStatus(response, 200) ?? requireLink(response, "next", null),
  },
  {
    name: "empty page",
    sentence: "An empty page parameter is page 1",
    request: get("?format=api&page="),
    judge: (response) => requireStatus(response, 200) ?? requireLink(response, "previous", null),
  },
  {
    name: "repeated page",
    sentence: "Of a repeated page parameter the last one counts",
    request: get("?format=api&page=0&page=1"),
    judge: (response) => requireStatus(response, 200) ?? requireLink(response, "previous", null),
  },
  {
    name: "format=json",
    sentence: "format=json is JSON, and the links keep it",
    request: get("?format=json&page=1", { Accept: "text/html" }),
    judge: (response, { pages }) =>
      requireStatus(response, 200) ??
      requirePart(response, "Content-Type", "application/json") ??
      (pages === 1 ? true : requireLink(response, "next", "format=json")),
  },
  {
    name: "other format",
    sentence: 'Any other format gets 404 {"detail":"Not found."}',
    request: get("?format=xml&page=1"),
    judge: (response) => requireError(response, 404, "Not found."),
  },
  {
    name: "Accept",
    sentence: "A browser, which prefers HTML, gets HTML",
    request: get("?format=api&page=1", { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" }),
    judge: (response) =>
      requireStatus(response, 200) ?? requirePart(response, "Content-Type", "text/html") ?? true,
  },
  {
    name: "406",
    sentence: "If Accept allows neither JSON nor HTML, the response is 406",
    request: get("?format=api&page=1", { Accept: "image/png" }),
    judge: (response) => requireError(response, 406, "Could not satisfy the request Accept header."),
  },
  {
    name: "foreign parameters",
    sentence: "Links keep the other parameters of the request",
    request: get("?format=api&page=1&client=7"),
    judge: (response, { pages }) =>
      requireStatus(response, 200) ?? (pages === 1 ? true : requireLink(response, "next", "client=7")),
  },
  {
    name: "missing slash",
    sentence: "The path without its last slash redirects permanently, with the query",
    request: (subject) => ({ url: subject.at("?format=api&page=1").replace("/?", "?") }),
    judge(response) {
      const { status, headers } = response;
      const location = headers.get("Location");
      if (status !== 301 && status !== 308) return describeStatus(response);
      return location?.endsWith("/?format=api&page=1") || `Location is ${describeValue(location)}`;
    },
  },
  {
    name: "unknown path",
    sentence: 'An unknown path gets 404 {"detail":"Not found."}',
    request: (subject) => ({ url: new URL("/unknown-path/", subject.at("")).href }),
    judge: (response) => requireError(response, 404, "Not found."),
  },
];

/** Sends the requests of the reference, one after the other. */
export async function sendReferenceRequests({ client, walk }: ExtraRequests): Promise<void> {
  const { reader, emit, state } = walk;
  const subject: Subject = { at: (query) => reader.url + query, pages: lastPage(state.count ?? 0) };
  let earlier: ResponseEvent | undefined;
  for (const { name, request, judge } of REFERENCE) {
    const response = await sendPlain(client, request(subject, earlier));
    const judgement = response.failure ?? judge(response, subject);
    emit("openCase", {
      url: response.url,
      name,
      observed: describeStatus(response),
      deviation: judgement === true ? undefined : judgement,
    });
    earlier = response;
  }
}
