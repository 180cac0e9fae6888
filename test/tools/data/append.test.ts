import { beforeAll, expect, test } from "vitest";
import { makeRecords } from "../../records/sample.ts";
import { runData } from "../../run-command.ts";
import { untilServed } from "../../serve.ts";
import { walk } from "../../walk/walk.ts";
import { useWorker } from "../../worker.ts";
import { createLocalStore } from "./local-store.ts";
import { statisticsOf } from "./statistics.ts";

const records = makeRecords(90);
/** The name of a load or of a revision. */
const NAME = /^[0-9a-z]{9}[0-9a-f]{10}$/;

/** Four records share each timestamp, so a cut after 48 records lies between two timestamps. */
const loaded = records.slice(0, 48);

const local = createLocalStore();
beforeAll(async () => {
  expect((await append(await local.write("loaded.csv", loaded))).stdout).toBe("Loaded 48 records.\n");
});
const server = useWorker({ folder: local.folder });

const append = (...args: string[]) => local.run("load", "--append", ...args);

test("a record that is not newer, has a loaded id or another camera_ref is refused, and nothing is added", async () => {
  const [later, other] = [records[60]!, records[65]!];
  const file = await local.write("refused.csv", [
    { ...later, id: 48 },
    { ...other, camera_ref: "other", id: 1_000 },
    { ...records[47]!, id: 1_001 },
  ]);
  const { status, stderr } = await append(file);
  expect(status).toBe(1);
  expect(stderr.split("\n")).toEqual([
    `${file}:2: id 48 is already loaded`,
    `${file}:3: camera_ref "other" differs from "${other.camera_ref}", the camera_ref of camera_pk ${other.camera_pk} in the loaded records`,
    `${file}:4: timestamp "${records[47]!.timestamp}" is not later than "${records[47]!.timestamp}", the newest loaded timestamp`,
    "Nothing was added. Use --skip-known to skip records that are loaded already.",
    "",
  ]);
  expect(await walk(server.origin)).toEqual(loaded.toReversed());
});

test("--skip-known is not suggested for a problem that it does not solve", async () => {
  const file = await local.write("conflict.csv", [{ ...records[60]!, id: 48 }]);
  expect((await append(file)).stderr).toBe(`${file}:2: id 48 is already loaded\nNothing was added.\n`);
});

test("newer records are added, and the running worker shows them", async () => {
  const file = await local.write("all.csv", records);
  expect((await append("--skip-known", file)).stdout).toBe(
    "Skipped 48 that are loaded already. Added 42 records; 90 are loaded.\n",
  );
  await untilServed(server.origin);
  expect(await walk(server.origin)).toEqual(records.toReversed());
});

test("info reports what is loaded now", async () => {
  const [text, json] = await Promise.all([local.run("info"), local.run("info", "--json")]);
  const sources = ["loaded.csv", "all.csv"].map((name) => ({ kind: "file", name }));
  const statistics = { ...statisticsOf(records), sources, source_count: 2 };
  expect(JSON.parse(json.stdout)).toEqual({
    store: "d1",
    remote: false,
    load: expect.stringMatching(NAME),
    count: 90,
    revision: expect.stringMatching(NAME),
    loaded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    bytes: expect.any(Number),
    statistics,
  });
  const lines = Object.fromEntries(
    text.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/)),
  );
  expect(lines).toMatchObject({
    store: `d1, on this machine in ${local.folder}`,
    revision: JSON.parse(json.stdout).revision,
    size: expect.stringMatching(/^0\.\d MB$/),
    records: "90",
    "first timestamp": records[0]!.timestamp,
    "last timestamp": records.at(-1)!.timestamp,
    "largest id": String(statistics.largest_id),
    cameras: "4",
    "camera_ok null": "45 (50.0 %)",
    "camera_ok False": "6 (6.7 %)",
    "camera_ok True": "39 (43.3 %)",
    cars: String(statistics.totals.cars),
  });
});

test("an append without newer records changes nothing", async () => {
  expect(await append("--skip-known", await local.write("all.csv", records))).toEqual({
    status: 0,
    stdout: "Skipped 90 that are loaded already. Added 0 records; 90 are loaded.\n",
    stderr: "",
  });
});

test("kv refuses an append before a file is read", async () => {
  const { status, stderr } = await append("--store", "kv", "missing.csv");
  expect([status, stderr]).toEqual([
    1,
    "Records cannot be added to a collection in KV, because KV cannot compare before it writes. Use D1, or export the records, add yours to the file, and load it.\n",
  ]);
});

test("--skip-known without --append is wrong usage", async () => {
  const { status, stderr } = await runData(["load", "--skip-known", "x.csv"]);
  expect([status, stderr]).toEqual([2, "error: --skip-known requires --append\n"]);
});
