import type { Context, Next } from "hono";
import { lastValue } from "../http/request.ts";
import { COLLECTION_PATH, parsePageNumber } from "../records/page.ts";
import type { Target } from "./option-values.ts";

/**
 * Whether a request asks for one of the target's pages. If only the response shows that, because it depends on which page
 * is the last one, the rest of the service responds first.
 * @param target undefined for every request
 */
export async function isOnTarget(target: Target | undefined, c: Context, next: Next): Promise<boolean> {
  if (target === undefined) return true;
  const { pathname, searchParams } = new URL(c.req.url);
  if (pathname !== COLLECTION_PATH) return false;
  const page = parsePageNumber(lastValue(searchParams, "page"));
  if (page === undefined) return false;
  const isListed = (number: number) => target.pages.some(({ min, max }) => number >= min && number <= max);
  if (page === "last" ? target.last : isListed(page)) return true;
  if (page !== "last" && !target.last) return false;
  await next();
  const location = await locate(c.res);
  return location !== undefined && ((target.last && location.isLast) || isListed(location.number));
}

/** Where a page lies, according to its links; undefined for other responses. */
async function locate(response: Response): Promise<{ number: number; isLast: boolean } | undefined> {
  if (response.headers.get("Content-Type") !== "application/json") return undefined;
  const page = (await response.clone().json()) as { next?: unknown; previous?: unknown };
  if (page.next === undefined) return undefined;
  const previous = typeof page.previous === "string" ? new URL(page.previous).searchParams.get("page") : "0";
  return { number: Number(previous) + 1, isLast: page.next === null };
}
