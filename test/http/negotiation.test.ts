import { HTTPException } from "hono/http-exception";
import { describe, expect, test } from "vitest";
import { negotiate, negotiateError } from "../../src/http/negotiation.ts";

const CHROMIUM = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

describe("format and Accept", () => {
  test.each([
    [null, undefined, "json"],
    [null, "", "json"],
    [null, ",", "json"],
    [null, "*/*", "json"],
    [null, "application/json", "json"],
    [null, "APPLICATION/JSON", "json"],
    [null, "application/json; charset=utf-8", "json"],
    [null, "application/*", "json"],
    [null, "text/html", "html"],
    [null, "text/*", "html"],
    [null, CHROMIUM, "html"],
    [null, "text/html, application/json", "json"],
    [null, "text/html;q=0.9, application/json;q=0.8", "html"],
    [null, "text/html;q=0.9, */*", "json"],
    [null, "application/json;q=0, */*", "html"],
    [null, "text/html;q=0, */*;q=0.1", "json"],
    [null, "application/json;q=0.1, application/*;q=0.9, text/html;q=0.5", "html"],
    [null, 'text/plain;note="a,b", application/json', "json"],
    ["", CHROMIUM, "html"],
    ["api", CHROMIUM, "html"],
    ["json", CHROMIUM, "json"],
    ["json", "image/png", "json"],
    ["api", "image/png", 406],
    [null, "application/xml", 406],
    [null, "application/json;q=0", 406],
    [null, "*/*;q=0", 406],
    [null, "nonsense", 406],
    ["xml", "image/png", 404],
    ["API", undefined, 404],
    ["json ", undefined, 404],
  ])("format %j, Accept %j -> %s", (format, accept, expected) => {
    expect(outcome(format, accept)).toBe(expected);
  });
});

describe("an error", () => {
  test.each([
    [null, undefined, "json"],
    [null, "*/*", "json"],
    [null, CHROMIUM, "html"],
    ["xml", CHROMIUM, "html"],
    ["json", CHROMIUM, "json"],
    [null, "image/png", "json"],
    [null, "application/xhtml+xml", "html"],
    [null, "application/xhtml+xml, application/json;q=0.1", "json"],
    [null, "nonsense", "json"],
  ])("format %j, Accept %j -> %s", (format, accept, expected) => {
    expect(negotiateError(format, accept)).toBe(expected);
  });
});

function outcome(format: string | null, accept: string | undefined) {
  try {
    return negotiate(format, accept);
  } catch (error) {
    return error instanceof HTTPException ? error.status : error;
  }
}
