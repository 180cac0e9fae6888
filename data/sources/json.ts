import * as z from "zod";
import { Page, TrafficRecord } from "../../src/records/record.ts";
import { type Block, splitLines } from "./blocks.ts";
import { createDocumentParser } from "./json-documents.ts";
import { checkShape, describeShape, isObject } from "./shape.ts";
import type { Place, Reader, Row, Source } from "./source.ts";

const record = describeShape(TrafficRecord, "a record");

/** The envelope of a page, whose records are checked one by one. The links are not loaded, so they may be any. */
const unused = z.unknown().optional();
const Envelope = Page.extend({
  count: unused,
  next: unused,
  previous: unused,
  results: z.array(z.unknown()),
});
const envelope = describeShape(Envelope, "an envelope");

/**
 * Reads JSON: records and envelopes, one after the other or in arrays. If the first line is a whole object,
 * each line is read by itself, which is fast and goes on after a broken line.
 */
export const readJson: Reader = async function* (blocks, source) {
  const documents = createDocumentParser();
  let byLine: boolean | undefined;
  for await (const block of blocks) {
    byLine = block.whole && (byLine ?? beginsWithObject(block));
    for (const line of splitLines(block)) {
      if (byLine) yield* readLine(line, source);
      else for (const { value, line: begin } of documents.write(line)) yield* readEntry(value, begin, source);
    }
  }
  documents.end();
};

function beginsWithObject(block: Block): boolean {
  for (const { text } of splitLines(block)) {
    if (text.trim() !== "") return isObject(parseJson(text));
  }
  return false;
}

function* readLine({ text, line }: { text: string; line: number }, source: Source): Generator<Row> {
  if (text.trim() === "") return;
  const value = parseJson(text);
  if (value === undefined) {
    yield { problems: [{ file: source.file, line, value: text.trim(), message: "is not JSON" }] };
  } else {
    for (const entry of Array.isArray(value) ? value : [value]) yield* readEntry(entry, line, source);
  }
}

/** Gives undefined for what is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Takes a record, or an envelope with its records if they have not been taken out. */
function* readEntry(value: unknown, line: number, { file, modelName }: Source): Generator<Row> {
  const place = { file, line };
  if (!isEnvelope(value)) return yield readRecord(value, place, modelName);
  const checked = checkShape(envelope, value, place, value);
  if ("problems" in checked) yield checked;
  else for (const result of checked.data.results) yield readRecord(result, place, modelName);
}

function readRecord(value: unknown, place: Place, modelName: Source["modelName"]): Row {
  const renamed = modelName && isObject(value) && typeof value.model_name === "string";
  const values = renamed ? { ...value, model_name: modelName } : value;
  const checked = checkShape(record, values, place, value);
  return "data" in checked ? { ...place, record: checked.data } : checked;
}

function isEnvelope(value: unknown): boolean {
  return isObject(value) && ("results" in value || ("count" in value && !("id" in value)));
}
