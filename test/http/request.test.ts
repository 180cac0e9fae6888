import { expect, test } from "vitest";
import { findRepresentation } from "../../src/http/negotiation.ts";
import { getOrigin, matchesETag, requireOrigin } from "../../src/http/request.ts";
import { CHROMIUM, TEXT_BROWSER } from "../support/exchange.ts";

test.each([
  { name: "the request", url: "https://counts.example/api/?page=1", expected: "https://counts.example" },
  { name: "no parameter", url: "http://localhost/?from=http://elsewhere/", expected: "http://localhost" },
  { name: "no user", url: "http://someone@localhost/", expected: "http://localhost" },
  { name: "its port", url: "http://[::1]:9000/", publicOrigin: "", expected: "http://[::1]:9000" },
  {
    name: "PUBLIC_ORIGIN",
    url: "http://localhost:8787/",
    publicOrigin: "http://counts.example:8080/",
    expected: "http://counts.example:8080",
  },
])("links have the origin of $name", ({ url, publicOrigin, expected }) =>
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

test.each<{ name: string; accept: string | undefined; expected: "json" | "html" | undefined }>([
  { name: "no header", accept: undefined, expected: "json" },
  { name: "an empty header", accept: "", expected: "json" },
  { name: "everything", accept: "*/*", expected: "json" },
  { name: "upper case", accept: "APPLICATION/JSON", expected: "json" },
  { name: "HTML only", accept: "text/html", expected: "html" },
  { name: "a browser", accept: CHROMIUM, expected: "html" },
  { name: "a text browser", accept: TEXT_BROWSER, expected: "html" },
  { name: "a library with JSON first", accept: "application/json, text/plain, */*", expected: "json" },
  { name: "a tie", accept: "text/html, application/json", expected: "json" },
  { name: "a tie of ranges", accept: "text/*, application/*, */*", expected: "json" },
  { name: "more for HTML", accept: "text/html;q=0.9, application/json;q=0.8", expected: "html" },
  { name: "more for everything", accept: "text/html;q=0.9, */*", expected: "json" },
  { name: "a specific type before a range", accept: "text/html, */*", expected: "html" },
  { name: "a range before a specific type", accept: "text/*, application/json", expected: "json" },
  { name: "JSON excluded", accept: "application/json;q=0, */*", expected: "html" },
  { name: "HTML excluded", accept: "text/html;q=0, */*;q=0.1", expected: "json" },
  {
    name: "a type that weighs less than its range",
    accept: "application/json;q=0.1, application/*;q=0.9, text/html;q=0.5",
    expected: "html",
  },
  { name: "a quoted comma", accept: 'text/plain;note="a,b", application/json', expected: "json" },
  { name: "another type", accept: "application/xml", expected: undefined },
  { name: "nonsense", accept: "nonsense", expected: undefined },
])("an Accept header with $name selects $expected", ({ accept, expected }) =>
  expect(findRepresentation(accept)).toBe(expected),
);

test.each([
  { name: "the tag", ifNoneMatch: '"a,b"', expected: true },
  { name: "the weak tag", ifNoneMatch: 'W/"a,b"', expected: true },
  { name: "the last of several tags", ifNoneMatch: `"other", W/"x" ,"a,b"`, expected: true },
  { name: "a star", ifNoneMatch: " * ", expected: true },
  { name: "nothing", ifNoneMatch: "", expected: false },
  { name: "the tag without quotes", ifNoneMatch: "a,b", expected: false },
  { name: "the parts of the tag", ifNoneMatch: '"a", "b"', expected: false },
  { name: "a star in a list", ifNoneMatch: '"other", *', expected: false },
])("If-None-Match with $name confirms the client's copy: $expected", ({ ifNoneMatch, expected }) =>
  expect(matchesETag(ifNoneMatch, '"a,b"')).toBe(expected),
);
