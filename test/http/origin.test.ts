import { describe, expect, test } from "vitest";
import { findOrigin } from "../../src/http/origin.ts";

describe("the origin of links", () => {
  test.each([
    ["http://localhost:8787/api/", undefined, "http://localhost:8787"],
    ["https://counts.example/api/?page=1", undefined, "https://counts.example"],
    ["https://counts.example:443/", undefined, "https://counts.example"],
    ["https://COUNTS.example/", undefined, "https://counts.example"],
    ["http://localhost/?from=http://elsewhere/", undefined, "http://localhost"],
    ["http://localhost:8787", undefined, "http://localhost:8787"],
    ["http://someone@localhost/", undefined, "http://localhost"],
    ["http://[::1]:9000/", "", "http://[::1]:9000"],
    ["http://localhost:8787/", "https://counts.example", "https://counts.example"],
    ["http://localhost:8787/", "http://counts.example:8080/", "http://counts.example:8080"],
  ])("%s with PUBLIC_ORIGIN %j -> %s", (url, publicOrigin, origin) =>
    expect(findOrigin(url, publicOrigin)).toBe(origin),
  );

  test.each([
    "counts.example",
    "ftp://counts.example",
    "https://counts.example/path",
    "https://a@counts.example",
    "/",
  ])("PUBLIC_ORIGIN %j is refused by name", (publicOrigin) =>
    expect(() => findOrigin("http://localhost/", publicOrigin)).toThrow(/PUBLIC_ORIGIN is ".*"; it must be/),
  );
});
