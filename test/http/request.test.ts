import { describe, expect, test } from "vitest";
import { matchesETag } from "../../src/http/entity-tags.ts";
import { findRepresentation } from "../../src/http/negotiation.ts";
import { getOrigin, requireOrigin } from "../../src/http/request.ts";
import { CHROMIUM, TEXT_BROWSER } from "../http-suite/exchange.ts";

describe("the origin of links", () => {
  test.each([
    ["https://counts.example/api/?page=1", undefined, "https://counts.example"],
    ["http://localhost/?from=http://elsewhere/", undefined, "http://localhost"],
    ["http://someone@localhost/", undefined, "http://localhost"],
    ["http://[::1]:9000/", "", "http://[::1]:9000"],
    ["http://localhost:8787/", "https://counts.example", "https://counts.example"],
    ["http://localhost:8787/", "http://counts.example:8080/", "http://counts.example:8080"],
  ])("%s with PUBLIC_ORIGIN %j -> %s", (url, publicOrigin, origin) =>
    expect(getOrigin(url, publicOrigin)).toBe(origin),
  );

  test.each([
    "counts.example",
    "ftp://counts.example",
    "https://counts.example/path",
    "https://a@counts.example",
    "/",
  ])("PUBLIC_ORIGIN %j is rejected with the name of the setting", (publicOrigin) =>
    expect(() => requireOrigin("PUBLIC_ORIGIN", publicOrigin)).toThrow(/^PUBLIC_ORIGIN is ".*"; it must be/),
  );
});

test.each([
  [undefined, "json"],
  ["", "json"],
  ["*/*", "json"],
  ["APPLICATION/JSON", "json"],
  ["text/html", "html"],
  [CHROMIUM, "html"],
  ["text/html, application/json", "json"],
  ["text/html;q=0.9, application/json;q=0.8", "html"],
  ["text/html;q=0.9, */*", "json"],
  ["application/json;q=0, */*", "html"],
  ["text/html;q=0, */*;q=0.1", "json"],
  ["application/json;q=0.1, application/*;q=0.9, text/html;q=0.5", "html"],
  ['text/plain;note="a,b", application/json', "json"],
  [TEXT_BROWSER, "html"],
  ["text/html, */*", "html"],
  ["text/*, application/*, */*", "json"],
  ["text/*, application/json", "json"],
  ["application/json, text/plain, */*", "json"],
  ["text/html;q=0, application/*", "json"],
  ["application/xml", undefined],
  ["nonsense", undefined],
])("Accept %j -> %s", (accept, expected) => expect(findRepresentation(accept)).toBe(expected));

describe("the copy of a client whose If-None-Match is", () => {
  const tag = '"a,b"';
  test.each([
    [tag, true],
    [`W/${tag}`, true],
    [`"other", W/"x" ,${tag}`, true],
    [" * ", true],
    [undefined, false],
    ["", false],
    ["a,b", false],
    ['"a", "b"', false],
    ['"other", *', false],
  ])("%j is current: %s", (condition, expected) => expect(matchesETag(condition, tag)).toBe(expected));
});
