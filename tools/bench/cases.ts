import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import { lastPage, locatePage } from "../../src/records/page.ts";
import { Page } from "../../src/records/record.ts";
import { COLLECTION_PATHS } from "../../src/records/route.ts";
import type { Entrypoint, Runtime } from "./runtime.ts";

/** The place of a page in the collection. */
export type PageName = "first" | "middle" | "last";

/**
 * Where a page comes from: `hot` from the instance's memory; `cold` from the store, by an instance that knows the state;
 * `empty` from the store, by a new instance. Or what is measured instead of the service.
 */
export type Mode = "hot" | "cold" | "empty" | "floor" | "store_floor";

/** A measurement. Floors return the first page but read none; the floor has no store either. */
export interface Case {
  store: StoreName | null;
  page: PageName | null;
  mode: Mode;
}

/** A case with its request and response. */
export interface PreparedCase extends Case {
  url: string;
  /** The only correct response. */
  body: string;
}

const ENTRYPOINTS: Record<Mode, Entrypoint> = {
  hot: "default",
  cold: "cold",
  empty: "empty",
  floor: "floor",
  store_floor: "storeFloor",
};

/** All measurements. */
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
 * Sends the request of a case once, and keeps the response as the correct one.
 * @param count records in the collection
 * @throws Error if it is not a page of this collection
 */
export async function prepareCase(one: Case, runtime: Runtime, count: number): Promise<PreparedCase> {
  const number = pageNumbers(count)[one.page ?? "first"];
  const origin = await runtime.origin(one.store ?? "d1", ENTRYPOINTS[one.mode]);
  // As in the service's own links.
  const url = `${origin}${COLLECTION_PATHS[0]}?format=api&page=${number}`;
  const response = await fetch(url);
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}: ${body}`);
  requirePage(body, number, count);
  return { ...one, url, body };
}

function requirePage(body: string, number: number, count: number): void {
  const page = Page.parse(JSON.parse(body));
  const { first, last } = locatePage(count, number);
  const expected = last - first + 1;
  if (page.count !== count || page.results.length !== expected)
    throw new Error(
      `Page ${number} holds ${page.results.length} of ${page.count} records, not ${expected} of ${count}`,
    );
}
