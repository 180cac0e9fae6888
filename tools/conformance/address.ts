import { InvalidArgumentError } from "commander";
import { type CollectionUrl, parseCollectionUrl } from "../http-client/collection-url.ts";

/**
 * Takes an address as `parseCollectionUrl` does, for commander, but with no parameters beside those of the specification:
 * pages are asked for as it says, so that any others would be left out.
 * @throws InvalidArgumentError if there are some
 */
export function parseExamined(text: string): CollectionUrl {
  const collection = parseCollectionUrl(text);
  const others = [...collection.query].filter(([name, value]) => name !== "format" || value !== "api");
  if (others.length === 0) return collection;
  const named = new URLSearchParams(others);
  throw new InvalidArgumentError(
    `Leave out ${named}: pages are asked for with format=api and page alone, as in the specification.`,
  );
}
