import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { TrafficRecord } from "../../src/records/record.ts";

/** Records in a row group: what is held in memory, about 15 MB, and what a reader can skip. */
const GROUP_SIZE = 50_000;

const FIELDS = TrafficRecord.keyof().options;

const STRING: Partial<SchemaElement> = { type: "BYTE_ARRAY", converted_type: "UTF8" };
const TEXT_FIELDS: readonly string[] = ["camera_ref", "camera_ok", "model_name"];

const SCHEMA: SchemaElement[] = [
  { name: "records", num_children: FIELDS.length },
  ...FIELDS.map(describeColumn),
];

function describeColumn(name: (typeof FIELDS)[number]): SchemaElement {
  const repetition_type = name === "camera_ok" ? "OPTIONAL" : "REQUIRED";
  if (TEXT_FIELDS.includes(name)) return { name, repetition_type, ...STRING };
  if (name !== "timestamp") return { name, repetition_type, type: "INT64" };
  const logical_type = { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" } as const;
  return { name, repetition_type, type: "INT64", converted_type: "TIMESTAMP_MILLIS", logical_type };
}

/** Writes records as Apache Parquet, a row group at a time. */
export async function* writeParquet(
  records: Iterable<TrafficRecord> | AsyncIterable<TrafficRecord>,
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const parquet = new ParquetWriter({ writer: bytes, schema: SCHEMA });
  const takeBytes = () => {
    const taken = new Uint8Array(bytes.getBuffer());
    bytes.index = 0;
    return taken;
  };
  let group: TrafficRecord[] = [];
  for await (const record of records) {
    group.push(record);
    if (group.length < GROUP_SIZE) continue;
    parquet.write({ columnData: toColumns(group), rowGroupSize: GROUP_SIZE });
    group = [];
    yield takeBytes();
  }
  if (group.length > 0) parquet.write({ columnData: toColumns(group), rowGroupSize: GROUP_SIZE });
  parquet.finish();
  yield takeBytes();
}

function toColumns(records: TrafficRecord[]) {
  return FIELDS.map((name) => ({ name, data: records.map((record) => toValue(name, record)) }));
}

function toValue(name: (typeof FIELDS)[number], record: TrafficRecord) {
  const value = record[name];
  if (name === "timestamp") return new Date(record.timestamp);
  return typeof value === "number" ? BigInt(value) : value;
}
