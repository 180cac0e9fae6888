import { type Draw, pickFrom } from "./draw.ts";
import type { BodyFault, Plan } from "./preferences.ts";

/** What becomes of a request. */
export interface Outcome {
  delayMs: number;
  /** Of the error to answer with, 400 to 599; undefined answers as always. */
  status: number | undefined;
  body: BodyFault | undefined;
  /** The preferences that made it so, as `Preference-Applied` names them (RFC 7240, 3). */
  applied: string[];
}

/** With what a request fails that asks for nothing else. */
const FAILURE = 503;

/** Draws what becomes of a request: `fail` decides whether `code` and `body` hit it, `delay` hits all. */
export async function decideOutcome(plan: Plan, draw: Draw): Promise<Outcome> {
  const { delay, fail, seed } = plan;
  const delayMs = delay ? pickFrom(delay, await draw("delay")) : 0;
  const hit = fail === undefined || (await draw("fail")) < fail;
  const body = hit ? plan.body : undefined;
  const code = hit ? plan.code : undefined;
  const drawn = fail !== undefined || (delay !== undefined && delay.min < delay.max);
  return {
    delayMs,
    body,
    status: code ?? (hit && fail !== undefined && !body ? FAILURE : undefined),
    applied: writeApplied({ ...plan, body, code, seed: drawn ? seed : undefined }),
  };
}

function writeApplied({ code, delay, fail, seed, body }: Plan): string[] {
  const span = delay && (delay.min === delay.max ? delay.min : `${delay.min}-${delay.max}`);
  return Object.entries({ code, delay: span, fail, seed, body })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`);
}
