import * as z from "zod";
import { writeEnvelope } from "../../src/records/envelope.ts";
import { PAGE_SIZE, pageUrls } from "../../src/records/page.ts";
import { Page, type TrafficRecord } from "../../src/records/record.ts";
import { splitLines, type TextChunk } from "./input-file.ts";
import { createJsonParser } from "./json-parser.ts";
import type { Place } from "./problem.ts";
import type { Row, Source } from "./row.ts";
import { createValidator, isObject, recordValidator } from "./validation.ts";

/** The envelope of a page. Its records are validated one by one, and its count and links are not used. */
const unused = z.unknown().optional();
const Envelope = Page.extend({
  count: unused,
  next: unused,
  previous: unused,
  results: z.array(z.unknown()),
});
const envelopeValidator = createValidator(Envelope, "an envelope");

/**
 * Reads JSON: records and envelopes, one after the other or in arrays. If the first line is a whole object, each line is
 * parsed by itself, which is faster and can continue after an invalid line.
 */
export async function* readJson(chunks: AsyncIterable<TextChunk>, source: Source): AsyncGenerator<Row> {
  const parser = createJsonParser();
  let byLine: boolean | undefined;
  for await (const chunk of chunks) {
    byLine = chunk.complete && (byLine ?? startsWithObject(chunk));
    for (const line of splitLines(chunk)) {
      if (byLine) yield* readLine(line, source);
      else for (const { value, line: start } of parser.write(line)) yield* readEntry(value, start, source);
    }
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

function* readLine({ text, line }: { text: string; line: number }, source: Source): Generator<Row> {
  if (text.trim() === "") return;
  const value = tryParse(text);
  if (value === undefined) {
    yield { problems: [{ file: source.file, line, value: text.trim(), message: "is not valid JSON" }] };
  } else {
    for (const entry of Array.isArray(value) ? value : [value]) yield* readEntry(entry, line, source);
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
function* readEntry(value: unknown, line: number, { file, modelName }: Source): Generator<Row> {
  const place = { file, line };
  if (!isEnvelope(value)) return yield readRecord(value, place, modelName);
  const checked = envelopeValidator.validate(value, place, value);
  if ("problems" in checked) yield checked;
  else for (const result of checked.data.results) yield readRecord(result, place, modelName);
}

function readRecord(value: unknown, place: Place, modelName: Source["modelName"]): Row {
  const replaces = modelName && isObject(value) && typeof value.model_name === "string";
  const values = replaces ? { ...value, model_name: modelName } : value;
  const checked = recordValidator.validate(values, place, value);
  return "data" in checked ? { ...place, record: checked.data } : checked;
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
    yield `${writeEnvelope({ count, number, results: JSON.stringify(page) }, url)}\n`;
    page = [];
    number += 1;
  }
}
