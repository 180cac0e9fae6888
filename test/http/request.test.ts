import { expect, test } from "vitest";
import { matchesETag } from "../../src/http/entity-tags.ts";
import { findRepresentation } from "../../src/http/negotiation.ts";
import { getOrigin, requireOrigin } from "../../src/http/origin.ts";
import { CHROMIUM, TEXT_BROWSER } from "../support/exchange.ts";

test.each([
  ["the request", "https://counts.example/api/?page=1", undefined, "https://counts.example"],
  ["no parameter", "http://localhost/?from=http://elsewhere/", undefined, "http://localhost"],
  ["no user", "http://someone@localhost/", undefined, "http://localhost"],
  ["its port", "http://[::1]:9000/", "", "http://[::1]:9000"],
  ["PUBLIC_ORIGIN", "http://localhost:8787/", "http://counts.example:8080/", "http://counts.example:8080"],
])("links have the origin of %s", (_, url, publicOrigin, expected) =>
  expect(getOrigin(new URL(url), publicOrigin)).toBe(expected),
);

test.each([
  "counts.example",
  "ftp://counts.example",
  "https://counts.example/path",
  "https://a@counts.example",
])("PUBLIC_ORIGIN %j is rejected with the name of the setting", (publicOrigin) =>
  expect(() => requireOrigin("PUBLIC_ORIGIN", publicOrigin)).toThrow(`PUBLIC_ORIGIN is "${publicOrigin}"`),
);

test.each<[name: string, accept: string | undefined, expected: "json" | "html" | undefined]>([
  ["no header", undefined, "json"],
  ["an empty header", "", "json"],
  ["everything", "*/*", "json"],
  ["upper case", "APPLICATION/JSON", "json"],
  ["HTML only", "text/html", "html"],
  ["a browser", CHROMIUM, "html"],
  ["a text browser", TEXT_BROWSER, "html"],
  ["a library with JSON first", "application/json, text/plain, */*", "json"],
  ["a tie", "text/html, application/json", "json"],
  ["a tie of ranges", "text/*, application/*, */*", "json"],
  ["more for HTML", "text/html;q=0.9, application/json;q=0.8", "html"],
  ["more for everything", "text/html;q=0.9, */*", "json"],
  ["a specific type before a range", "text/html, */*", "html"],
  ["a range before a specific type", "text/*, application/json", "json"],
  ["JSON excluded", "application/json;q=0, */*", "html"],
  ["HTML excluded", "text/html;q=0, */*;q=0.1", "json"],
  ["a type below its range", "application/json;q=0.1, application/*;q=0.9, text/html;q=0.5", "html"],
  ["a quoted comma", 'text/plain;note="a,b", application/json', "json"],
  ["another type", "application/xml", undefined],
  ["nonsense", "nonsense", undefined],
])("an Accept header with %s: %s selects %s", (_, accept, expected) =>
  expect(findRepresentation(accept)).toBe(expected),
);

test.each([
  ["the tag", '"a,b"', true],
  ["the weak tag", 'W/"a,b"', true],
  ["the last of several tags", `"other", W/"x" ,"a,b"`, true],
  ["a star", " * ", true],
  ["nothing", "", false],
  ["the tag without quotes", "a,b", false],
  ["the parts of the tag", '"a", "b"', false],
  ["a star in a list", '"other", *', false],
])("If-None-Match with %s, %s, confirms the client's copy: %s", (_, ifNoneMatch, expected) =>
  expect(matchesETag(ifNoneMatch, '"a,b"')).toBe(expected),
);
