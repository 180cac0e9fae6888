import * as z from "zod";
import { Page } from "../../src/records/record.ts";
import { formatValue } from "../../tools/command-line/value.ts";
import { addressPage, type Collection } from "../../tools/http-client/address.ts";
import { type AskerOptions, createAsker, refuseTransient } from "../../tools/http-client/asker.ts";
import { Refused, Transient } from "../../tools/http-client/failures.ts";
import { type Answer, decodeBody } from "../../tools/http-client/request.ts";
import { formatProblem } from "../formats/problem.ts";
import { createValidator, isObject } from "../formats/validation.ts";

/** What one page answered, as far as it can be read at all. */
export interface Answered {
  /** As it was asked for. */
  url: string;
  /** The collection that answered, after redirects, with the parameters that its links ask for. */
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

/** A page that was there may be missing for a moment where several servers answer, of which one is behind. */
export const FEW_ATTEMPTS = 4;

const HEADERS = {
  Accept: "application/json",
  "User-Agent": "traffic-count-records-crawl (npm run data -- crawl)",
};

/** Opens a collection for reading, page by page. */
export function createReader(collection: Collection, options: AskerOptions): Reader {
  const asker = createAsker(options);
  let pages = 0;
  let current = collection;
  return {
    get counters() {
      return { pages, ...asker.counters };
    },
    read(number, accept) {
      const url = addressPage(current, number);
      return asker.ask({ url, headers: HEADERS }, (answer) => {
        current = { ...current, url: answer.url.replace(/[?#].*/, "") };
        const fields = readAnswer(url, number, answer, pages, options.clock.now());
        if (pages === 0) current = followLink(current, fields.fields.next);
        const answered = { url, collection: current, number, ...fields };
        accept?.(answered);
        pages += 1;
        return answered;
      });
    },
  };
}

/**
 * Takes the link of the first page, gives the collection with the parameters that are in it beside the page number: a
 * server may insist on them from the second page on.
 */
function followLink({ url, query }: Collection, link: unknown): Collection {
  const next = typeof link === "string" ? URL.parse(link) : null;
  if (!next || next.origin + next.pathname !== url) return { url, query };
  const followed = new URLSearchParams(query);
  for (const [name, value] of next.searchParams)
    if (!["page", "format"].includes(name) && !query.has(name)) followed.append(name, value);
  return { url, query: followed };
}

/**
 * Throws unless there is an envelope with a count and results, whatever they are.
 * @param pages that were read before: who never answered an envelope will not the next time
 */
function readAnswer(url: string, number: number, answer: Answer, pages: number, now: number) {
  refuseStatus(url, number, answer, now);
  const fields = parseObject(answer);
  const place = { file: "envelope", line: 0 };
  const checked = envelope.validate({ count: fields.count, results: fields.results }, place, fields);
  if ("data" in checked) return { ...checked.data, fields };
  const message = `answered an unusable ${checked.problems.map(formatProblem).join(", ")}`;
  throw pages === 0 ? new Error(`${url} ${message}`) : new Transient(message);
}

const envelope = createValidator(
  z.strictObject({ count: Page.shape.count, results: z.array(z.unknown()) }),
  "an envelope",
);

function refuseStatus(url: string, number: number, answer: Answer, now: number): void {
  const { status } = answer;
  if (status === 200) return;
  refuseTransient(answer, now);
  const outcome = new Refused(url, status);
  if (status === 404 && number > 1) throw new Transient("answered 404", { attempts: FEW_ATTEMPTS, outcome });
  throw outcome;
}

function parseObject({ body: bytes, headers }: Answer): Record<string, unknown> {
  const body = decodeBody(bytes);
  if (body === undefined) throw new Transient("answered what is not UTF-8 text");
  try {
    const value = JSON.parse(body);
    if (isObject(value)) return value;
  } catch {}
  throw new Transient(
    `answered ${headers.get("Content-Type") ?? "something"} that is not a JSON object: ${formatValue(body)}`,
  );
}
