import { describe, expect, test } from "vitest";
import { matchesETag } from "../../src/http/headers.ts";
import { getOrigin, negotiate, requireOrigin } from "../../src/http/request.ts";
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

describe("format and Accept", () => {
  test.each([
    [null, undefined, "json"],
    [null, "", "json"],
    [null, "*/*", "json"],
    [null, "APPLICATION/JSON", "json"],
    [null, "text/html", "html"],
    [null, CHROMIUM, "html"],
    [null, "text/html, application/json", "json"],
    [null, "text/html;q=0.9, application/json;q=0.8", "html"],
    [null, "text/html;q=0.9, */*", "json"],
    [null, "application/json;q=0, */*", "html"],
    [null, "text/html;q=0, */*;q=0.1", "json"],
    [null, "application/json;q=0.1, application/*;q=0.9, text/html;q=0.5", "html"],
    [null, 'text/plain;note="a,b", application/json', "json"],
    [null, TEXT_BROWSER, "html"],
    [null, "text/html, */*", "html"],
    [null, "text/*, application/*, */*", "json"],
    [null, "text/*, application/json", "json"],
    [null, "application/json, text/plain, */*", "json"],
    [null, "text/html;q=0, application/*", "json"],
    ["api", CHROMIUM, "html"],
  ])("format %j, Accept %j -> %s", (format, accept, expected) =>
    expect(negotiate(format, accept)).toBe(expected),
  );

  test.each(["application/xml", "nonsense"])("Accept %j -> 406", (accept) =>
    expect(() => negotiate(null, accept)).toThrow(expect.objectContaining({ status: 406 })),
  );
});

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
