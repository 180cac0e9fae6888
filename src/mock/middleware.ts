import type { Context, Next } from "hono";
import type { HttpError } from "../http/errors.ts";
import { BODY_OPTIONS, breakBody, faultHeaders, wait } from "./body-faults.ts";
import { changePage, DATA_FAULTS } from "./data-faults.ts";
import {
  createRandom,
  type Decision,
  decide,
  listApplied,
  type RandomSource,
  requestKey,
} from "./decision.ts";
import { createError, refuseOptions } from "./errors.ts";
import { countShown } from "./growth.ts";
import type { OptionName } from "./option-docs.ts";
import { type MockOptions, readOptions } from "./options.ts";
import { readPreferHeader } from "./prefer-header.ts";
import { isOnTarget } from "./target.ts";

type RespondWithError = (error: Error, c: Context) => Response;

/** What the mock changes in the response to a request. */
interface ResponseOverride {
  options: MockOptions;
  decision: Decision;
  random: RandomSource;
  warnings: string[];
}

/** For a request with `strict` and a preference that would be ignored. */
const REFUSAL: Decision = { delayMs: 0, status: 400, faults: {}, applied: ["strict"] };

/** Clients and proxies give up before this time. */
const HANG_MS = 300_000;

/**
 * Creates the mock, which makes responses fail as the header `Prefer` and the query parameter `prefer` ask. The header
 * takes precedence. No response has `Vary: Prefer`, although RFC 7240, 2 asks for it, because the specification shows the
 * value of `Vary` on a page. So a cache may respond with a stored page, as if it did not know the preference. Responses
 * that the mock changed are never stored.
 * @param respondWithError also responds to real errors
 * @param now the clock of `until`, `outage` and `grow`, in milliseconds since 1970
 */
export function createMock(respondWithError: RespondWithError, now: () => number) {
  const overrides = new WeakMap<Context, ResponseOverride>();

  async function respond(c: Context, next: Next): Promise<void> {
    const request = readRequest(c);
    if (request === undefined) return next();
    const { options, warnings, random } = request;
    removeCondition(c);
    const { grow } = options;
    if (grow) c.set("shownCount", (total: number) => countShown(total, grow, now()));
    const isRefused = options.strict === true && warnings.length > 0;
    const isTarget = isRefused || (await isOnTarget(options.on, c, next));
    const decision = isRefused ? REFUSAL : await decide(options, { random, now: now(), isTarget });
    const override = { options, warnings, random, decision };
    overrides.set(c, override);
    const error = chooseError(c, override);
    await wait(decision.faults.hang ? HANG_MS : decision.delayMs, c.req.raw.signal);
    // The target may have been found out from the real response.
    if (error) c.res = respondWithError(error, c);
    else if (!c.finalized) await next();
    const response = await overrideResponse(c.res, override);
    // Without this line Hono copies the headers of the old response to the new one.
    c.res = undefined;
    c.res = response;
  }

  return {
    handle(c: Context, next: Next): Promise<void> {
      // Skip parsing unless the request may contain `prefer`, whose name may be percent-encoded.
      const isUnused = c.req.header("Prefer") === undefined && !/prefer=|%/.test(c.req.url);
      return isUnused ? next() : respond(c, next);
    },

    /** The headers as the client receives them, for a page that shows the headers of its own response. */
    finalHeaders(c: Context, headers: Headers): Headers {
      const final = new Headers(headers);
      const override = overrides.get(c);
      if (override) overrideHeaders(final, override, (name) => isDone(name, { hasBody: true, applied: [] }));
      return final;
    },
  };
}

/** @returns undefined if the request has no option of the mock, not even an invalid one */
function readRequest(c: Context): Pick<ResponseOverride, "options" | "warnings" | "random"> | undefined {
  const url = new URL(c.req.url);
  const texts = [c.req.header("Prefer") ?? "", ...url.searchParams.getAll("prefer")];
  const { options, warnings } = readOptions(texts.flatMap(readPreferHeader));
  // Seed and strict alone change nothing.
  const { seed, strict: _, ...others } = options;
  const isUsed = Object.values(others).some((value) => value !== undefined) || warnings.length > 0;
  return isUsed
    ? { options, warnings, random: createRandom(seed, requestKey(c.req.method, url)) }
    : undefined;
}

function chooseError(c: Context, { options, warnings, decision }: ResponseOverride): HttpError | undefined {
  if (decision === REFUSAL) return refuseOptions(warnings);
  const status = decision.status ?? (decision.faults.hang ? 503 : undefined);
  return status === undefined ? undefined : createError(status, c.req.method, options["retry-after"]);
}

/** Responses that must not be stored are never 304 either. */
function removeCondition(c: Context): void {
  if (c.req.header("If-None-Match") === undefined) return;
  const headers = new Headers(c.req.raw.headers);
  headers.delete("If-None-Match");
  c.req.raw = new Request(c.req.raw, { headers });
}

async function overrideResponse(original: Response, override: ResponseOverride): Promise<Response> {
  const { decision } = override;
  const { body, applied } = await changeBody(original, override);
  const response = new Response(body, original);
  if (body !== original.body) response.headers.delete("Content-Length");
  const hasBody = response.body !== null;
  overrideHeaders(response.headers, override, (name) => isDone(name, { hasBody, applied }));
  const isBroken = hasBody && BODY_OPTIONS.some((name) => decision.faults[name] !== undefined);
  return isBroken ? breakBody(response, decision.faults) : response;
}

/** Changes the content of a page in JSON. Other responses stay as they are. */
async function changeBody(
  response: Response,
  { decision: { faults }, random }: ResponseOverride,
): Promise<{ body: string | ReadableStream | null; applied: OptionName[] }> {
  const isAsked = DATA_FAULTS.some((name) => faults[name] !== undefined);
  const isJson = response.headers.get("Content-Type") === "application/json";
  if (!isAsked || !isJson || response.status !== 200) return { body: response.body, applied: [] };
  const text = await response.text();
  if (!text.startsWith('{"count":')) return { body: text, applied: [] };
  return (await changePage(text, faults, random)) as { body: string; applied: OptionName[] };
}

/** Whether an option that was asked for could be applied to the response. */
function isDone(
  name: OptionName,
  { hasBody, applied }: { hasBody: boolean; applied: OptionName[] },
): boolean {
  if (DATA_FAULTS.some((fault) => fault === name)) return applied.includes(name);
  return hasBody || !BODY_OPTIONS.some((option) => option === name);
}

function overrideHeaders(
  headers: Headers,
  { decision: { faults, applied }, options, warnings }: ResponseOverride,
  isDone: (name: OptionName) => boolean,
): void {
  const done = applied.filter(isDone);
  headers.delete("ETag");
  headers.set("Cache-Control", "no-store");
  if (done.length > 0) headers.set("Preference-Applied", listApplied(done, options));
  if (warnings.length > 0) headers.set("Mock-Warning", warnings.join("; "));
  if (faults.type !== undefined && isDone("body")) headers.set("Content-Type", faults.type);
  for (const [name, value] of Object.entries(isDone("body") ? faultHeaders(faults) : {}))
    headers.set(name, value);
}
