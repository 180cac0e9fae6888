import type { CollectionContext } from "../bindings.ts";
import { type HttpError, respondWithError } from "../http/errors.ts";
import { ERROR_CACHE_CONTROL } from "../http/headers.ts";
import { getClientKey } from "../http/rate-limit.ts";
import type { PageLocation } from "../records/page.ts";
import type { FaultOptions } from "./fault-options.ts";
import type { ChangedPage, FaultContext, Wait } from "./option.ts";
import { listEntries, OPTION_NAMES, OPTIONS, type OptionEntry, type OptionName } from "./option-table.ts";
import { createCounter, createRandom, getPageKey, getRequestKey } from "./random.ts";
import { createWaitLimiter } from "./wait-limiter.ts";

/** The usual response to a request, and where its page lies if it is a page. */
export interface ServedResponse {
  response: Response;
  page?: PageLocation;
}

/** A response, and the options that changed it. Conditions are not among them. */
type FaultedResponse = { response: Response; applied: OptionName[] };

export type Faults = ReturnType<typeof createFaults>;

/**
 * Creates the faults of a service, which requests ask for with the header `Prefer` or the query parameter `prefer`, and a deployment with
 * the setting `PREFER`. No response has `Vary: Prefer`, although RFC 7240, 2 asks for it, because the specification shows the value of
 * `Vary` on a page. So a cache may respond to the header with a page that it stored before. It never stores a response to the header.
 * @param now The clock of faults and views: milliseconds since 1970-01-01 UTC
 */
export function createFaults(now: () => number) {
  const counter = createCounter();
  const startWait = createWaitLimiter();

  /** Responds to a request with the faults that its preferences ask for. */
  async function applyFaults(
    c: CollectionContext,
    query: URLSearchParams,
    preferences: FaultOptions,
    serve: () => Promise<ServedResponse>,
  ): Promise<Response> {
    const { values, formatted, isFromClient } = preferences;
    const { method, raw } = c.req;
    let served: Promise<ServedResponse> | undefined;
    const serveOnce = () => (served ??= serve());
    const request: FaultContext = {
      method,
      now: now(),
      random: createRandom(values.seed, getPageKey(method, query)),
      // Requests with other options are counted separately.
      count: () => counter.count(`${getRequestKey(method, query)} ${[...formatted.values()]}`),
      getPage: async () => (await serveOnce()).page,
    };
    let effects = await getActiveOptions(listEntries(values), request);
    const wait: Wait = {};
    for (const [, option, value] of effects) option.changeWait?.(wait, value, request.random);
    const endWait = await startWait(wait, raw.signal, isFromClient ? getClientKey(c) : undefined);
    // Without room for a wait of the deployment, the response has no fault: its client did not ask for one.
    if (!endWait) effects = [];
    const outcome =
      replaceResponse(c, effects, request) ??
      (await changePage(await serveOnce(), listEntries(values), effects, request));
    const { response, applied } = await changeBody(outcome, effects, wait, endWait);
    const waits = effects.filter(([, option]) => option.changeWait && !option.changeBody);
    setPreferenceHeaders(response.headers, preferences, [...applied, ...getNames(waits)]);
    return response;
  }

  /** `reset` forgets all requests that `times` has counted. */
  return { applyFaults, now, reset: counter.reset };
}

/** Whether a fault caused the error of a response, and not the service. */
export function isInjectedError(headers: Headers): boolean {
  const applied = headers.get("Preference-Applied")?.split(", ") ?? [];
  return applied.some((text) => OPTIONS[text.replace(/=.*/, "") as OptionName]?.replace);
}

const getNames = (options: OptionEntry[]) => options.map(([name]) => name);

/** The options that take effect: none if a condition excludes the request. */
async function getActiveOptions(options: OptionEntry[], request: FaultContext): Promise<OptionEntry[]> {
  for (const [, option, value] of options)
    if (option.allows && !(await option.allows(value, request)))
      return option.exemptsDelay ? options.filter(([name]) => name === "delay") : [];
  return options;
}

/** @returns undefined if no option replaces the response */
function replaceResponse(
  c: CollectionContext,
  effects: OptionEntry[],
  request: FaultContext,
): FaultedResponse | undefined {
  const applied: OptionName[] = [];
  let error: HttpError | undefined;
  for (const [name, option, value] of effects) {
    const replacement = option.replace?.(value, request, error);
    if (replacement instanceof Response) return { response: replacement, applied: [name] };
    error = replacement ?? error;
    if (replacement || (error && option.changeError?.(error, value, request))) applied.push(name);
  }
  return error && { response: respondWithError(error, c), applied };
}

/** Changes the JSON of a page, unless another fault hides it. */
async function changePage(
  { response, page }: ServedResponse,
  options: OptionEntry[],
  effects: OptionEntry[],
  { random }: FaultContext,
): Promise<FaultedResponse> {
  if (!page || effects.some(([, option, value]) => option.hidesPage?.(value)))
    return { response, applied: [] };
  const views = options.filter(([, option]) => option.createView);
  if (!effects.some(([, option]) => option.changePage)) return { response, applied: getNames(views) };
  const content: ChangedPage = JSON.parse(await response.text());
  const changes = effects.filter(([name, option, value]) =>
    option.changePage?.(content, value, random(name)),
  );
  const applied = getNames([...views, ...changes]);
  return { response: new Response(JSON.stringify(content), response), applied };
}

/** Changes how the body is sent. The wait ends now, or with a slow body. */
async function changeBody(
  { response, applied }: FaultedResponse,
  effects: OptionEntry[],
  wait: Wait,
  endWait = () => {},
): Promise<FaultedResponse> {
  const [name, option, value] = effects.find(([, option]) => option.changeBody) ?? [];
  // Without a type, the response is that of `close`, which has no body.
  const changed =
    response.headers.has("Content-Type") && option?.changeBody?.(response, value, wait, endWait);
  if (name && changed) return { response: await changed, applied: [...applied, name] };
  endWait();
  return { response, applied };
}

/**
 * Sets the headers of a response to a request with preferences: those for caches, the options that were applied (RFC 7240, 3), and the
 * invalid ones.
 */
function setPreferenceHeaders(
  headers: Headers,
  { formatted, headerOptions, warnings }: FaultOptions,
  applied: OptionName[],
): void {
  const faults = applied.filter((name) => !OPTIONS[name].createView);
  // A cache must not give a response to the preferences of a client to others, not even with a 304 (RFC 9111, 4.3.4).
  const isPrivate =
    warnings.length > 0 || faults.length > 0 || applied.some((name) => headerOptions.includes(name));
  if (isPrivate) headers.delete("ETag");
  // Without a fault, a cache must ask again, because the next response may have one.
  if (!headers.get("Cache-Control")?.startsWith(ERROR_CACHE_CONTROL))
    headers.set("Cache-Control", isPrivate ? ERROR_CACHE_CONTROL : "no-cache");
  const limits = (name: OptionName) =>
    (OPTIONS[name].allows || name === "seed") &&
    faults.some((fault) => fault !== "delay" || !OPTIONS[name].exemptsDelay);
  const names = OPTION_NAMES.filter((name) => applied.includes(name) || limits(name));
  const listed = names.flatMap((name) => formatted.get(name) ?? []);
  if (listed.length > 0) headers.set("Preference-Applied", listed.join(", "));
  if (warnings.length > 0) headers.set("Mock-Warning", warnings.join(" "));
}
