import * as z from "zod";
import { Page } from "../../src/records/record.ts";
import { formatProblem, formatValue } from "../sources/problem.ts";
import { checkShape, describeShape } from "../sources/shape.ts";
import { addressPage, type Collection } from "./address.ts";
import { Refused, Transient } from "./failures.ts";
import { createPace } from "./pace.ts";
import { type Answer, request } from "./request.ts";
import { type Clock, type Patience, parseRetryAfter, retry } from "./retry.ts";

/** What one page answered, as far as it can be read at all. */
export interface Answered {
  /** As it was asked for. */
  url: string;
  /** The collection that answered, after redirects. */
  collection: Collection;
  number: number;
  count: number;
  results: unknown[];
  /** All of the envelope. */
  fields: Record<string, unknown>;
}

export interface Reader {
  /**
   * Reads a page, as often as it takes.
   * @param accept may throw `Transient` to have it read again
   */
  read(number: number, accept?: (answered: Answered) => void): Promise<Answered>;
  /** Since the beginning of this run. */
  counters: { pages: number; retries: number };
}

export interface ReaderOptions {
  concurrency: number;
  delay: number;
  clock: Clock;
  patience: Patience;
  signal: AbortSignal;
  /** Takes a line for the person who waits. */
  warn(line: string): void;
}

/** A page that was there may be missing for a moment where several servers answer, of which one is behind. */
export const FEW_ATTEMPTS = 4;

/** Waits that a person would wonder about. */
const LONG_WAIT_MS = 2_000;

/** Opens a collection for reading, page by page. */
export function createReader(collection: Collection, options: ReaderOptions): Reader {
  const { clock, patience, signal } = options;
  const pace = createPace(options.concurrency, options.delay, clock);
  const counters = { pages: 0, retries: 0 };
  let current = collection;
  const readOnce = async (number: number, url: string) => {
    await pace.enter(signal);
    const answer = await request(url, patience.timeout, signal).finally(pace.leave);
    current = { ...current, url: answer.url.replace(/[?#].*/, "") };
    return { url, collection: current, number, ...readAnswer(url, number, answer, clock.now()) };
  };
  return {
    counters,
    read(number, accept) {
      const url = addressPage(current, number);
      const onRetry = (failure: Transient, attempt: number, wait: number) => {
        counters.retries += 1;
        if (failure.remedy.after !== undefined) pace.hold(failure.remedy.after);
        if (wait < LONG_WAIT_MS) return;
        options.warn(
          `${url} ${failure.message}; attempt ${attempt + 1} follows in ${Math.ceil(wait / 1_000)} s.`,
        );
      };
      const action = async () => {
        const answered = await readOnce(number, url);
        accept?.(answered);
        counters.pages += 1;
        return answered;
      };
      return retry(url, action, { patience, clock, signal, onRetry });
    },
  };
}

/** Throws unless there is an envelope with a count and results, whatever they are. */
function readAnswer(url: string, number: number, answer: Answer, now: number) {
  refuseStatus(url, number, answer, now);
  const fields = parseObject(answer);
  const place = { file: "envelope", line: 0 };
  const checked = checkShape(envelope, { count: fields.count, results: fields.results }, place, fields);
  if ("data" in checked) return { ...checked.data, fields };
  throw new Transient(`answered an unusable ${checked.problems.map(formatProblem).join(", ")}`);
}

const envelope = describeShape(
  z.strictObject({ count: Page.shape.count, results: z.array(z.unknown()) }),
  "an envelope",
);

const MAY_PASS = new Set([408, 425, 429]);

function refuseStatus(url: string, number: number, { status, headers }: Answer, now: number): void {
  if (status === 200) return;
  if (MAY_PASS.has(status) || status >= 500) {
    throw new Transient(`answered ${status}`, { after: parseRetryAfter(headers.get("Retry-After"), now) });
  }
  const outcome = new Refused(url, status);
  if (status === 404 && number > 1) throw new Transient("answered 404", { attempts: FEW_ATTEMPTS, outcome });
  throw outcome;
}

function parseObject({ body, headers }: Answer): Record<string, unknown> {
  try {
    const value = JSON.parse(body);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {}
  throw new Transient(
    `answered ${headers.get("Content-Type") ?? "something"} that is not a JSON object: ${formatValue(body)}`,
  );
}
