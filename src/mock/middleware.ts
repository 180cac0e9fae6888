import type { Context, Next } from "hono";
import type { Alteration } from "../http/alteration.ts";
import { breakBody, faultHeaders } from "./bodies.ts";
import { drawFor, identify } from "./draw.ts";
import { errorOf } from "./errors.ts";
import { decideOutcome, type Outcome } from "./outcome.ts";
import { pause } from "./pause.ts";
import { parsePrefer } from "./prefer.ts";
import { readPlan } from "./preferences.ts";

type AnswerError = (error: Error, c: Context) => Response | Promise<Response>;

/**
 * Misbehaves as the header `Prefer` asks, and the query parameter `prefer`, whose preferences come after the header's.
 * No answer says `Vary: Prefer`, which RFC 7240, 2 wants: the specification shows what `Vary` is on a page. So a cache may
 * answer with a page that it kept, as if the preference were unknown to it; altered answers it never keeps.
 * @param answerError answers real errors, and so those that are asked for
 */
export function misbehaviour(answerError: AnswerError) {
  return (c: Context, next: Next): Promise<void> => {
    const header = c.req.header("Prefer");
    // Hardly any request asks for anything, so those that do not pay for no parser. The name may be percent-encoded.
    if (header === undefined && !/prefer=|%/.test(c.req.url)) return next();
    return misbehave(c, next, answerError);
  };
}

async function misbehave(c: Context, next: Next, answerError: AnswerError): Promise<void> {
  const url = new URL(c.req.url);
  const texts = [c.req.header("Prefer") ?? "", ...url.searchParams.getAll("prefer")];
  const plan = readPlan(texts.flatMap(parsePrefer));
  const outcome = await decideOutcome(plan, drawFor(plan.seed, identify(c.req.method, url)));
  if (outcome.applied.length === 0 && plan.warnings.length === 0) return next();

  forgetCondition(c);
  const alteration: Alteration = {
    amendHeaders: (headers) => amend(headers, outcome, plan.warnings),
    errorAsked: outcome.status !== undefined,
  };
  c.set("alteration", alteration);
  await pause(outcome.delayMs);
  if (outcome.status === undefined) await next();
  else c.res = await answerError(errorOf(outcome.status, c.req.method), c);
  const answer = await alter(c.res, outcome, plan.warnings);
  // Otherwise Hono puts the headers of the old answer on the new one.
  c.res = undefined;
  c.res = answer;
}

/** There is no 304 to what is never kept. */
function forgetCondition(c: Context): void {
  if (c.req.header("If-None-Match") === undefined) return;
  const headers = new Headers(c.req.raw.headers);
  headers.delete("If-None-Match");
  c.req.raw = new Request(c.req.raw, { headers });
}

async function alter(original: Response, outcome: Outcome, warnings: string[]): Promise<Response> {
  const body = original.body === null ? undefined : outcome.body;
  const answer = new Response(original.body, original);
  amend(answer.headers, { ...outcome, body }, warnings);
  return body ? breakBody(answer, body) : answer;
}

/** Whatever was asked for, the answer is for this request only: no one keeps it. */
function amend(headers: Headers, { body, applied }: Outcome, warnings: string[]): void {
  const done = body ? applied : applied.filter((one) => !one.startsWith("body="));
  headers.delete("ETag");
  headers.set("Cache-Control", "no-store");
  if (done.length > 0) headers.set("Preference-Applied", done.join(", "));
  if (warnings.length > 0) headers.set("Mock-Warning", warnings.join("; "));
  for (const [name, value] of Object.entries(body ? faultHeaders(body) : {})) headers.set(name, value);
}
