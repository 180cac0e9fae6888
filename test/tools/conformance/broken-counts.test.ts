import { changeCount, changeText, RECORDS, testFaults } from "./broken-service.ts";
import { service } from "./fake-service.ts";

function changeTexts(from: string, to: string): void {
  service.reply = (reply) => ({ ...reply, body: String(reply.body).replace(from, to) });
}

testFaults([
  ["count is null", "Page envelope.count", /count is null/, () => changeCount(() => null)],
  ["count is negative", "Page envelope.count", /count is -1/, () => changeCount(() => -1)],
  ["count is a string", "Page envelope.count", /count is "40"/, () => changeCount(() => "40")],
  ["count is missing", "Page envelope.count", /count is missing/, () => changeCount(() => undefined)],
  [
    "count is null on one page",
    "Page envelope.count",
    /page=2: /,
    () => changeCount((n) => (n === 2 ? null : 40)),
  ],
  [
    "count is written 40.0",
    "Page envelope.count",
    /is 40\.0/,
    () => changeText("2", '"count":40', '"count":40.0'),
  ],
  [
    "count is the number of records on the page",
    "Page envelope.count",
    /count is 15, but pages 1 to 3 hold 40/,
    () => {
      service.envelope = (envelope) => ({ ...envelope, count: Object(envelope.results).length });
    },
  ],
  ["count is too small", "Page envelope.count", /count is 39, but .* hold 40/, () => changeCount(() => 39)],
  ["count is too large", "Page envelope.count", /count is 41, but .* hold 40/, () => changeCount(() => 41)],
  ["count is far too large", "Page envelope.count", /count is 100, but/, () => changeCount(() => 100)],
  [
    "count is too large for JavaScript",
    "Page envelope.count",
    /count is 90071992547409940, not an integer from 0 to 2\^53/,
    () => changeTexts('"count":40', '"count":90071992547409940'),
  ],
  [
    "count is too small for JavaScript",
    "Page envelope.count",
    /count is -90071992547409940, not an integer from/,
    () => changeTexts('"count":40', '"count":-90071992547409940'),
  ],
  [
    "a record is missing",
    "Page envelope.count",
    /count is 40, but .* hold 39/,
    () => {
      service.records = RECORDS.toSpliced(20, 1);
      changeCount(() => 40);
    },
  ],
  [
    "count is different on each page",
    "List records 5",
    /count is 42, but it was 41/,
    () => changeCount((n) => 40 + n),
  ],
  [
    "count decreases on the last page",
    "List records 5",
    /count is 40, but it was 41/,
    () => changeCount((n) => (n === 3 ? 40 : 41)),
  ],
  [
    "count alternates between two values",
    "List records 5",
    /count is/,
    () => changeCount((_, index) => 40 + (index % 2)),
  ],
]);
