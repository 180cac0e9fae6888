import type { AppContext } from "../bindings.ts";
import { type HttpError, respondWithError } from "../http/errors.ts";
import { ERROR_CACHE_CONTROL } from "../http/headers.ts";
import { getClientKey } from "../http/rate-limit.ts";
import type { GetHiddenCount, PageLocation } from "../records/page.ts";
import type { FaultOptions } from "./fault-options.ts";
import type { FaultContext, MutablePage, Option, Wait } from "./option.ts";
import { listEntries, OPTION_NAMES, OPTIONS, type OptionEntry, type OptionName } from "./option-table.ts";
import { createRandom } from "./random.ts";
import { createRequestCounter, getPageKey, getRequestKey } from "./request-counter.ts";
import { createWaitLimiter } from "./slots.ts";

/** A response without faults. `page` is the location of a page of the collection; undefined for all other responses. */
export interface ServedResponse {
  response: Response;
  page?: PageLocation;
}

/**
 * Serves a request without faults.
 * @param isComplete Whether the response has a body even if the client's copy is current
 */
export type Serve = (isComplete: boolean) => Promise<ServedResponse>;

/** A response, and the options that changed it. Conditions are not listed. */
type FaultedResponse = { response: Response; applied: OptionName[] };

export type Faults = ReturnType<typeof createFaults>;

/**
 * Creates the faults of a service. No response has `Vary: Prefer`, although RFC 7240, 2 asks for it, because the specification fixes
 * `Vary`. So a cache may answer a request that has the header `Prefer` with a stored page. Caches never store a response that this
 * header has changed.
 * @param now The clock of faults, in milliseconds since 1970-01-01 UTC
 */
export function createFaults(now: () => number) {
  const counter = createRequestCounter();
  const startWait = createWaitLimiter();

  /** Responds with the faults that the options select. With the condition `on`, the page is served first, to find out its number. */
  async function applyFaults(
    c: AppContext,
    query: URLSearchParams,
    options: FaultOptions,
    serve: Serve,
  ): Promise<Response> {
    const { values, formatted, isFromClient } = options;
    const { method, raw } = c.req;
    const context: FaultContext = {
      method,
      now: now(),
      random: createRandom(values.seed, getPageKey(method, query)),
      // Requests with different options are counted separately.
      count: () => counter.count(`${getRequestKey(method, query)} ${[...formatted.values()]}`),
      getPage: async () => (await serve(false)).page,
    };
    const entries = listEntries(values);
    let active = await getActiveOptions(entries, context);
    const wait = getWait(active, context);
    const endWait = await startWait(wait, raw.signal, isFromClient ? getClientKey(c) : undefined);
    // If too many responses are waiting, skip all options of PREFER except `grow`, because the client did not request these options.
    if (!endWait) active = entries.filter(hidesRecords);
    const injected = createInjectedResponse(c, active, context);
    const isPrivate = isPrivateResponse(active, options);
    const changed = injected ?? (await changePage(await serve(isPrivate), active, context));
    const { response, applied } = await changeBody(changed, active, wait, endWait);
    const waits = active.filter(([, option]) => option.getWait && !option.changeBody);
    setPreferenceHeaders(response.headers, options, [...applied, ...getNames(waits)], isPrivate);
    return response;
  }

  return {
    applyFaults,
    createGetHiddenCount: (options: FaultOptions) => createGetHiddenCount(options, now()),
    /** Forgets all requests that `times` has counted. */
    reset: counter.reset,
  };
}

const hidesRecords = ([, option]: OptionEntry) => option.getHiddenCount !== undefined;

/** Creates the function that returns the number of records that are hidden at `time`. Returns undefined if the options hide no records. */
function createGetHiddenCount({ values }: FaultOptions, time: number): GetHiddenCount | undefined {
  const [, option, value] = listEntries(values).find(hidesRecords) ?? [];
  return option && ((total) => option.getHiddenCount?.(value, time, total) ?? 0);
}

/**
 * Whether other clients may get a different response. Caches do not vary on `Prefer`, so they must not store this response, and a 304
 * must not update a stored page (RFC 9111, 4.3.4).
 */
function isPrivateResponse(active: OptionEntry[], { warnings, headerOptions }: FaultOptions): boolean {
  const changesResponse = ([name, option]: OptionEntry) =>
    option.getHiddenCount ? headerOptions.includes(name) : isFault(option);
  return warnings.length > 0 || active.some(changesResponse);
}

function isFault({ replace, changeError, changePage, changeBody, getWait }: Option): boolean {
  return Boolean(replace ?? changeError ?? changePage ?? changeBody ?? getWait);
}

const getNames = (options: OptionEntry[]) => options.map(([name]) => name);

/** Gets the options that take effect. If a condition excludes the request, only `grow` and a delay exempt from the condition remain. */
async function getActiveOptions(options: OptionEntry[], context: FaultContext): Promise<OptionEntry[]> {
  for (const [, { allows, exemptsDelay }, value] of options)
    if (allows && !(await allows(value, context)))
      return options.filter((entry) => hidesRecords(entry) || (exemptsDelay && entry[0] === "delay"));
  return options;
}

function getWait(active: OptionEntry[], { random }: FaultContext): Wait {
  let wait: Wait = {};
  for (const [, option, value] of active) wait = option.getWait?.(value, wait, random) ?? wait;
  return wait;
}

/** @returns undefined if no option replaces the response */
function createInjectedResponse(
  c: AppContext,
  active: OptionEntry[],
  context: FaultContext,
): FaultedResponse | undefined {
  const applied: OptionName[] = [];
  let error: HttpError | undefined;
  for (const [name, option, value] of active) {
    const replacement = option.replace?.(value, context, error);
    if (replacement instanceof Response) return { response: replacement, applied: [name] };
    error = replacement ?? error;
    if (replacement || (error && option.changeError?.(error, value, context))) applied.push(name);
  }
  return error && { response: respondWithError(error, c), applied };
}

/** Applies the page faults to the JSON of a page, unless a body fault replaces the whole body. */
async function changePage(
  { response, page }: ServedResponse,
  active: OptionEntry[],
  { random }: FaultContext,
): Promise<FaultedResponse> {
  if (!page || active.some(([, option, value]) => option.hidesPage?.(value)))
    return { response, applied: [] };
  const hiding = active.filter(hidesRecords);
  if (!active.some(([, option]) => option.changePage)) return { response, applied: getNames(hiding) };
  const content: MutablePage = JSON.parse(await response.text());
  const changes = active.filter(([name, option, value]) => option.changePage?.(content, value, random(name)));
  const applied = getNames([...hiding, ...changes]);
  return { response: new Response(JSON.stringify(content), response), applied };
}

/** Applies the body fault. The response stops counting as waiting immediately, or at the end of a slow body. */
async function changeBody(
  { response, applied }: FaultedResponse,
  active: OptionEntry[],
  wait: Wait,
  endWait = () => {},
): Promise<FaultedResponse> {
  const [name, option, value] = active.find(([, option]) => option.changeBody) ?? [];
  const changed = !applied.includes("close") && option?.changeBody?.(response, value, wait, endWait);
  if (name && changed) return { response: await changed, applied: [...applied, name] };
  endWait();
  return { response, applied };
}

/** Sets the headers that list the applied and the invalid options, and the headers for caches. */
function setPreferenceHeaders(
  headers: Headers,
  { formatted, warnings }: FaultOptions,
  applied: OptionName[],
  isPrivate: boolean,
): void {
  const faults = applied.filter((name) => !OPTIONS[name].getHiddenCount);
  if (isPrivate) headers.delete("ETag");
  // Caches must revalidate a response without a fault, because the next response may have a fault.
  if (!headers.get("Cache-Control")?.startsWith(ERROR_CACHE_CONTROL))
    headers.set("Cache-Control", isPrivate ? ERROR_CACHE_CONTROL : "no-cache");
  // A condition or `seed` is listed only if it affected an applied fault.
  const isListed = (name: OptionName) =>
    applied.includes(name) ||
    ((OPTIONS[name].allows || name === "seed") &&
      faults.some((fault) => fault !== "delay" || !OPTIONS[name].exemptsDelay));
  const listed = OPTION_NAMES.filter(isListed).flatMap((name) => formatted.get(name) ?? []);
  if (listed.length > 0) headers.set("Preference-Applied", listed.join(", "));
  if (warnings.length > 0) headers.set("Mock-Warning", warnings.join(" "));
}

/** Whether an option, and not the service, caused the error of a response. */
export function isInjectedError(headers: Headers): boolean {
  const applied = headers.get("Preference-Applied")?.split(", ") ?? [];
  return applied.some((text) => OPTIONS[text.replace(/=.*/, "") as OptionName]?.replace);
}
