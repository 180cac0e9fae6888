import { createIdSet } from "../id-set.ts";
import { isInteger, isObject, WrittenNumber } from "./json.ts";

/** An id that can be compared: a number, or the digits of one that is too large to be held exactly. */
export type Id = number | string;

/** All ids that have been seen. */
export interface Ids {
  has(id: Id): boolean;
  /** @returns false if it was there already */
  add(id: Id): boolean;
}

/** Keeps ids in little memory, those that are too large for numbers in more: about 80 bytes each. */
export function createIds(): Ids {
  const numbers = createIdSet();
  const texts = new Set<string>();
  return {
    has: (id) => (typeof id === "number" ? numbers.has(id) : texts.has(id)),
    add(id) {
      if (typeof id === "number") return numbers.add(id);
      if (texts.has(id)) return false;
      texts.add(id);
      return true;
    },
  };
}

/** What stands as the id of a record or a camera, if it is an integer. */
export function idOf(id: unknown): Id | undefined {
  if (typeof id === "number") return id;
  if (!(id instanceof WrittenNumber && isInteger(id))) return undefined;
  // A copy: a part of a text keeps all of it in memory, a page for each id.
  return Buffer.from(id.text).toString();
}

/** The id of what should be a record. */
export function recordId(record: unknown): Id | undefined {
  return isObject(record) ? idOf(record.id) : undefined;
}
