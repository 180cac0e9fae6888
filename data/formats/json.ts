import * as z from "zod";
import { Page, type TrafficRecord } from "../../src/records/record.ts";
import { splitLines, type TextChunk } from "./input-file.ts";
import { createJsonParser, type Entry } from "./json-parser.ts";
import { type Place, type ProblemDetail, UnreadableError } from "./problem.ts";
import type { Row, Source } from "./row.ts";
import { createValidator, isObject, recordValidator } from "./validation.ts";

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
export async function* readJson(chunks: AsyncIterable<TextChunk>, source: Source): AsyncGenerator<Row[]> {
  const parser = createJsonParser();
  let byLine: boolean | undefined;
  let isFirst = true;
  function* read(line: { text: string; line: number }): Generator<Row> {
    for (const entry of byLine ? readLine(line, source) : parser.write(line)) {
      if (isFirst && "value" in entry) requireKnownObject(entry);
      isFirst = false;
      if ("value" in entry) yield* readEntry(entry, source);
      else yield entry;
    }
  }
  for await (const chunk of chunks) {
    // If the first line is a whole object, each line is parsed by itself: faster, and an invalid line is not the end.
    byLine = chunk.complete && (byLine ?? startsWithObject(chunk));
    const rows: Row[] = [];
    try {
      for (const line of splitLines(chunk)) for (const row of read(line)) rows.push(row);
    } finally {
      yield rows;
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

function* readLine(line: { text: string; line: number }, { file }: Source): Generator<Entry | Row> {
  const text = line.text.trim();
  if (text === "") return;
  const value = tryParse(text);
  if (value === undefined)
    yield { problems: [{ file, line: line.line, value: text, message: "is not valid JSON" }] };
  else if (isExact(value, text))
    for (const entry of Array.isArray(value) ? value : [value]) yield { value: entry, line: line.line };
  else yield* readExactly(line, file);
}

/** Undefined if the text is not JSON. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value was read without a loss: it is then written as the same text, except for white space. */
function isExact(value: unknown, text: string): boolean {
  try {
    const written = JSON.stringify(value);
    return written === text || written === text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
  } catch {
    // It is nested too deeply.
    return false;
  }
}

/** Reads one line with the parser that loses nothing: repeated keys, numbers that are not exact, deep values. */
function* readExactly(line: { text: string; line: number }, file: string): Generator<Entry | Row> {
  const parser = createJsonParser();
  try {
    yield* parser.write(line);
    parser.end();
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    yield { problems: [{ file, line: line.line, value: error.value, message: error.message }] };
  }
}

/** @param value a record, or an envelope, with its records unless the parser has removed them */
function* readEntry({ value, line }: Entry, { file, modelName, onPage }: Source): Generator<Row> {
  const place = { file, line };
  if (!isEnvelope(value)) return yield readRecord(value, place, modelName);
  const checked = envelopeValidator.validate(value, place, value);
  if ("problems" in checked) return yield checked;
  onPage?.(checked.data);
  for (const result of checked.data.results) yield readRecord(result, place, modelName);
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
  const other = isEnvelope(value) ? undefined : describeOther(value);
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
