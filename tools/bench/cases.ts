import { lastPage, pagePositions } from "../../src/records/page.ts";
import { Page } from "../../src/records/record.ts";
import { COLLECTION_PATHS } from "../../src/records/route.ts";
import { STORE_NAMES, type StoreName } from "../configuration.ts";
import type { Entrypoint, Runtime } from "./runtime.ts";

/** A page by where it is in the collection. */
export type PageName = "first" | "middle" | "last";

/**
 * Where a page comes from: `hot` from the instance's memory; `cold` from the store, by an instance that knows the state;
 * `empty` from the store, by a new instance. Or what is measured instead of the service.
 */
export type Mode = "hot" | "cold" | "empty" | "floor" | "store_floor";

/** Something that is measured. Floors answer the first page but have none; the floor has no store either. */
export interface Case {
  store: StoreName | null;
  page: PageName | null;
  mode: Mode;
}

/** A case that can be asked. */
export interface Asked extends Case {
  url: string;
  /** The only right answer. */
  body: string;
}

const ENTRYPOINTS: Record<Mode, Entrypoint> = {
  hot: "default",
  cold: "cold",
  empty: "empty",
  floor: "floor",
  store_floor: "storeFloor",
};

/** Everything that is measured. */
export const CASES: Case[] = [
  { store: null, page: null, mode: "floor" },
  ...STORE_NAMES.flatMap((store): Case[] => [
    { store, page: null, mode: "store_floor" },
    ...(["first", "middle", "last"] as const).flatMap((page): Case[] => [
      { store, page, mode: "cold" },
      { store, page, mode: "empty" },
      { store, page, mode: "hot" },
    ]),
  ]),
];

/** The numbers of the pages of a collection. */
export function pageNumbers(count: number): Record<PageName, number> {
  const last = lastPage(count);
  return { first: 1, middle: Math.ceil(last / 2), last };
}

/**
 * Asks a case once and keeps the answer as the right one.
 * @param count records in the collection
 * @throws if it is not a page of this collection
 */
export async function askOnce(one: Case, runtime: Runtime, count: number): Promise<Asked> {
  const number = pageNumbers(count)[one.page ?? "first"];
  const origin = await runtime.origin(one.store ?? "d1", ENTRYPOINTS[one.mode]);
  // As in the service's own links.
  const url = `${origin}${COLLECTION_PATHS[0]}?format=api&page=${number}`;
  const answer = await fetch(url);
  const body = await answer.text();
  if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}: ${body}`);
  requirePage(body, number, count);
  return { ...one, url, body };
}

function requirePage(body: string, number: number, count: number): void {
  const page = Page.parse(JSON.parse(body));
  const { first, last } = pagePositions(count, number);
  const expected = last - first + 1;
  if (page.count !== count || page.results.length !== expected)
    throw new Error(
      `Page ${number} holds ${page.results.length} of ${page.count} records, not ${expected} of ${count}`,
    );
}
