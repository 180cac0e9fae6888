/** The collection is not the one that the crawl began with, so that no part of the copy is worth keeping. */
export class Replaced extends Error {
  constructor(evidence: string) {
    super(
      `${evidence}: the collection was replaced while it was copied (or is in no fixed order). ` +
        "The copy must begin anew, with --restart.",
    );
  }
}
