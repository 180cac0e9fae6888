import {
  at,
  BROKEN,
  change,
  changeText,
  type Fault,
  OLD,
  RECORDS,
  swap,
  testFaults,
  without,
} from "./broken-service.ts";
import { service } from "./fake-service.ts";

function writeIds(write: (id: number) => string): void {
  service.reply = (reply) => ({
    ...reply,
    body: String(reply.body).replace(/"id":(\d+)/g, (_, id) => `"id":${write(Number(id))}`),
  });
}

testFaults([
  ["a field is missing", "Record 1", /page=2 record \d+: missing fields: buses$/, without("buses")],
  ["model_name is missing", "Record 1", /missing fields: model_name$/, without("model_name")],
  ["the id is missing", "Record 1", /page=2 result 3: missing fields: id$/, without("id")],
  ["the timestamp is missing", "Record 1", /missing fields: timestamp$/, without("timestamp")],
  ["a count is null", "Record.cars", /cars is null, not an integer/, () => change({ cars: null })],
  ["a count is negative", "Record.persons", /persons is -1, not/, () => change({ persons: -1 })],
  ["a count is a string", "Record.bicycles", /bicycles is "3", not/, () => change({ bicycles: "3" })],
  ["a count is 1.5", "Record.trucks", /trucks is 1\.5, not/, () => change({ trucks: 1.5 })],
  ["a count is true", "Record.motorcycles", /motorcycles is true/, () => change({ motorcycles: true })],
  [
    "a count is written 1.0",
    "Record.buses",
    /buses is 1\.0, not an integer/,
    () => changeText("2", /"buses":\d+/, '"buses":1.0'),
  ],
  [
    "a count is written 1e3",
    "Record.cars",
    /cars is 1e3, not an integer/,
    () => changeText("2", /"cars":\d+/, '"cars":1e3'),
  ],
  ["an id is a string", "Record.id", /id is "7", not an integer/, () => change({ id: "7" })],
  ["an id is null", "Record.id", /id is null/, () => change({ id: null })],
  [
    "two records have the same id",
    "Record.id",
    /page=2 record (\d+): an earlier record has the id \1/,
    () => change({ id: at(3).id }),
  ],
  [
    "two records on a page have the same id",
    "Record.id",
    /record (\d+): an earlier record has the id \1/,
    () => change({ id: at(BROKEN + 1).id }),
  ],
  [
    "every id is the same and too large for JavaScript",
    "Record.id",
    /record 90071992547409931: an earlier record has the id 90071992547409931/,
    () => writeIds(() => "90071992547409931"),
  ],
  [
    "two records have the same id, too large for JavaScript",
    "Record.id",
    /page=2 record 900719925474099(\d+): an earlier record has the id 900719925474099\1/,
    () => writeIds((id) => `900719925474099${id === at(BROKEN).id ? at(3).id : id}`),
  ],
  [
    "one record is on two pages and another record is on no page",
    "Record.id",
    /page=3 record (\d+): an earlier record has the id \1/,
    () => {
      service.records = RECORDS.with(30, at(29));
    },
  ],
  ["camera_pk is a string", "Record.camera_pk", /camera_pk is "1"/, () => change({ camera_pk: "1" })],
  ["camera_ref is null", "Record.camera_ref", /camera_ref is null/, () => change({ camera_ref: null })],
  [
    "every camera_ref is empty",
    "Record.camera_ref",
    /camera_ref is "", not a non-blank string/,
    () => {
      service.records = RECORDS.map((record) => ({ ...record, camera_ref: "" }));
    },
  ],
  [
    "a camera has two refs",
    "Record 4",
    /"z9", but "\w+" in an earlier record/,
    () => change({ camera_ref: "z9" }),
  ],
  [
    "a camera has two records with the same timestamp",
    "Record 2",
    /has two records with the timestamp 2025/,
    () => change({ camera_pk: at(BROKEN - 1).camera_pk, camera_ref: at(BROKEN - 1).camera_ref }),
  ],
  ...[
    "2025-05-17T02:00:00+00:00",
    "2025-05-17T02:00:00.000Z",
    "2025-02-30T02:00:00Z",
    "2025-05-17T02:00:00",
  ].map(
    (timestamp): Fault => [
      `a timestamp is ${timestamp}`,
      "Record.timestamp",
      /timestamp is "2025-\S+", not a date-time in UTC/,
      () => change({ timestamp }),
    ],
  ),
  ["a timestamp is a number", "Record.timestamp", /is 1747447200/, () => change({ timestamp: 1747447200 })],
  [
    "camera_ok is False, but a count is not 0",
    "Record.camera_ok",
    /camera_ok is "False", but cars is 4/,
    () => change({ camera_ok: "False", cars: 4 }),
  ],
  ["camera_ok is a boolean", "Record.camera_ok", /camera_ok is true, not/, () => change({ camera_ok: true })],
  ["camera_ok is lower case", "Record.camera_ok", /camera_ok is "true"/, () => change({ camera_ok: "true" })],
  ...[3, 10].map(
    (index): Fault => [
      `camera_ok is null in the recent period, in record ${index + 1}`,
      "List records 4",
      new RegExp(`null at ${at(index).timestamp}, but True or False at 2025`),
      () => change({ camera_ok: null }, index),
    ],
  ),
  ...[RECORDS.length - 1, OLD].map(
    (index): Fault => [
      `camera_ok is True in the old period, in record ${index + 1}`,
      "List records 4",
      new RegExp(`null at 2019-\\S+, but True or False at ${at(index).timestamp}`),
      () => change({ camera_ok: "True" }, index),
    ],
  ),
  [
    "camera_ok is True in the oldest record",
    "List records 4",
    /but True or False at 2018/,
    () => {
      service.records = RECORDS.with(39, { ...at(39), timestamp: "2018-01-01T00:00:00Z", camera_ok: "True" });
    },
  ],
  [
    "model_name is different",
    "Record.model_name",
    /model_name is "tf2"/,
    () => change({ model_name: "tf2" }),
  ],
  ["model_name is null", "Record.model_name", /model_name is null/, () => change({ model_name: null })],
  ["a record has a state", "States 1", /state is "new"/, () => change({ state: "new" })],
  ["the order is wrong within a page", "List records 2", /page=1 record/, () => swap(3, 4)],
  ["the order is wrong across pages", "List records 2", /page=2 record/, () => swap(14, 16)],
]);
