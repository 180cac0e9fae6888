import { describe, expect, test } from "vitest";
import { formatCollectionUrl, parseCollectionUrl } from "../../../tools/http-client/collection-url.ts";

describe("the URL of a collection", () => {
  const COLLECTION = "https://counts.example/api/tf1/records/";
  test.each([
    ["https://counts.example", COLLECTION],
    ["https://counts.example/", COLLECTION],
    ["https://counts.example/api/tf1/records", COLLECTION],
    ["https://counts.example/api/tf1/records/", COLLECTION],
    ["https://counts.example/api/tf1/records/?format=api&page=7#top", `${COLLECTION}?format=api`],
    ["https://counts.example/api/tf1/records/?key=a%26b", `${COLLECTION}?key=a%26b`],
    ["http://LOCALHOST:80/old/api/tf1/records", "http://localhost/old/api/tf1/records/"],
  ])("%s -> %s", (text, expected) => {
    expect(formatCollectionUrl(parseCollectionUrl(text))).toBe(expected);
  });

  test.each([
    ["counts.example", "It must be a URL"],
    ["localhost:8787", "It must start with http:// or https://."],
    ["ftp://counts.example", "It must start with http:// or https://."],
    ["file:///api/tf1/records/", "It must start with http:// or https://."],
    ["https://me:secret@counts.example", "It must not contain a user name or a password."],
    ["https://counts.example/api/tf2/records/", "Its path must be empty or end with /api/tf1/records/."],
    ["", "It must be a URL"],
  ])("%j is rejected", (text, message) => {
    expect(() => parseCollectionUrl(text)).toThrow(message);
  });
});
