import * as z from "zod";
import { locatePage, PAGE_SIZE, pageUrls, writeEnvelope } from "../../src/records/page.ts";
import { Page, type TrafficRecord } from "../../src/records/record.ts";
import { splitLines, type TextChunk } from "./input-file.ts";
import { createJsonParser, type Entry } from "./json-parser.ts";
import { type Place, type Problem, type ProblemDetail, UnreadableError } from "./problem.ts";
import type { Row, Source } from "./row.ts";
import { createValidator, isObject, recordValidator } from "./validation.ts";

/** Records have one level, and pages in an array four. */
export const MAX_DEPTH = 100;

/** The envelope of a page. Its records are validated one by one, and its count and links may be missing. */
const optional = z.unknown().optional();
const Envelope = Page.extend({
  count: optional,
  next: optional,
  previous: optional,
  results: z.array(z.unknown()),
});
const envelopeValidator = createValidator(Envelope, "an envelope");

/**
 * Reads JSON: records and envelopes, one after the other or in arrays.
 * @throws UnreadableError if it is not JSON, or if the first value is an object of another kind
 */
export async function* readJson(chunks: AsyncIterable<TextChunk>, source: Source): AsyncGenerator<Row> {
  let isFirst = true;
  for await (const entry of readEntries(chunks, source)) {
    if ("problems" in entry) yield entry;
    else {
      if (isFirst) requireKnownObject(entry);
      yield* readEntry(entry, source);
    }
    isFirst = false;
  }
}

/** If the first line is a whole object, each line is parsed by itself: faster, and an invalid line is not the end. */
async function* readEntries(
  chunks: AsyncIterable<TextChunk>,
  source: Source,
): AsyncGenerator<Entry | { problems: Problem[] }> {
  const parser = createJsonParser();
  let byLine: boolean | undefined;
  for await (const chunk of chunks) {
    byLine = chunk.complete && (byLine ?? startsWithObject(chunk));
    for (const line of splitLines(chunk)) yield* byLine ? readLine(line, source) : parser.write(line);
  }
  parser.end();
}

/** Whether the first line that is not empty is a whole object. */
function startsWithObject(chunk: TextChunk): boolean {
  for (const { text } of splitLines(chunk)) {
    if (text.trim() !== "") return isObject(tryParse(text));
  }
  return false;
}

function* readLine({ text, line }: { text: string; line: number }, source: Source) {
  if (text.trim() === "") return;
  const value = tryParse(text);
  if (value === undefined) {
    yield { problems: [{ file: source.file, line, value: text.trim(), message: "is not valid JSON" }] };
  } else {
    for (const entry of Array.isArray(value) ? value : [value]) yield { value: entry, line };
  }
}

/** Undefined if the text is not JSON. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param value a record, or an envelope, with its records unless the parser has removed them */
function* readEntry({ value, line }: Entry, { file, modelName, onPage }: Source): Generator<Row> {
  const place = { file, line };
  if (isTooDeep(value, MAX_DEPTH))
    return yield { problems: [{ ...place, message: `is nested more than ${MAX_DEPTH} levels deep` }] };
  if (!isEnvelope(value)) return yield readRecord(value, place, modelName);
  const checked = envelopeValidator.validate(value, place, value);
  if ("problems" in checked) return yield checked;
  onPage?.(checked.data);
  for (const result of checked.data.results) yield readRecord(result, place, modelName);
}

/** Whether a value has more levels of arrays and objects than allowed. */
function isTooDeep(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const name in value) if (isTooDeep(Reflect.get(value, name), levels - 1)) return true;
  return false;
}

function readRecord(value: unknown, place: Place, modelName: Source["modelName"]): Row {
  const message = describeOther(value);
  if (message !== undefined) return { problems: [{ ...place, ...message }] };
  const replaces = modelName && isObject(value) && typeof value.model_name === "string";
  const values = replaces ? { ...value, model_name: modelName } : value;
  const checked = recordValidator.validate(values, place, value);
  return "data" in checked ? { ...place, record: checked.data } : checked;
}

/** A file that begins with an object of another kind contains nothing else, so one problem says it all. */
function requireKnownObject({ value, line }: Entry): void {
  const other = isTooDeep(value, MAX_DEPTH) || isEnvelope(value) ? undefined : describeOther(value);
  if (other?.value !== undefined) throw new UnreadableError(other.message, line, other.value);
}

/** Describes an object without any field of a record in one problem, instead of one for each missing field. */
function describeOther(value: unknown): ProblemDetail | undefined {
  if (!isObject(value)) return undefined;
  const names = Object.keys(value);
  if (names.some((name) => recordValidator.fields.has(name))) return undefined;
  const { detail } = value;
  if (names.length === 1 && typeof detail === "string")
    return { message: `is an error response (${detail}), not a page` };
  return { value, message: "is not a record: it has no field of a record" };
}

function isEnvelope(value: unknown): boolean {
  return isObject(value) && ("results" in value || ("count" in value && !("id" in value)));
}

export async function* writeJsonLines(
  records: Iterable<TrafficRecord> | AsyncIterable<TrafficRecord>,
): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}

/**
 * Writes all pages of a collection as the service responds to `?format=api&page=1`, 2 and so on, one envelope per line.
 * @param records newest first; `count` of them
 * @param collection absolute URL of the collection, for the links
 */
export async function* writePages(
  records: AsyncIterable<TrafficRecord>,
  count: number,
  collection: string,
): AsyncGenerator<string> {
  const url = pageUrls(collection, new URLSearchParams());
  let page: TrafficRecord[] = [];
  let number = 1;
  let left = count;
  for await (const record of records) {
    page.push(record);
    left -= 1;
    if (page.length < PAGE_SIZE && left > 0) continue;
    yield `${writeEnvelope(locatePage(count, number), JSON.stringify(page), url)}\n`;
    page = [];
    number += 1;
  }
}
