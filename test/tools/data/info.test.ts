import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CSV_HEADER, csvLine } from "../../../data/formats/csv.ts";
import { makeRecords } from "../../records/sample.ts";
import { runData } from "../../run-command.ts";
import { createDataFolder } from "./data-folder.ts";

const { folder } = createDataFolder();

const info = (...args: string[]) => runData(["info", ...args]);

test("info reports that nothing is loaded, and succeeds", async () => {
  const empty = join(folder, "empty");
  const text = await info("--store", "d1", "--persist-to", empty);
  const json = await info("--store", "kv", "--persist-to", empty, "--json");
  expect(text).toEqual({
    status: 0,
    stdout: `Nothing is loaded in d1, on this machine in ${empty}.\n`,
    stderr: "",
  });
  expect(json).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(json.stdout)).toMatchObject({ store: "kv", load: "", count: 0, loaded_at: null });
});

test("info names the sources of the records", async () => {
  const place = ["--store", "d1", "--persist-to", join(folder, "sources")];
  const records = makeRecords(30);
  const files = [join(folder, "old.csv"), join(folder, "new.csv")] as const;
  await writeFile(files[0], CSV_HEADER + records.slice(0, 10).map(csvLine).join(""));
  await writeFile(files[1], CSV_HEADER + records.slice(20).map(csvLine).join(""));
  const sources = async () => /^sources +(.*)$/m.exec((await info(...place)).stdout)?.[1];

  await runData(["load", ...place, "data/seed/2019-05-17.csv"]);
  expect(await sources()).toBe("generated");
  await runData(["load", ...place, ...files]);
  expect(await sources()).toBe("old.csv, new.csv");
  await runData(["load", ...place, ...files, "--source", "https://counts.example"]);
  expect(await sources()).toBe("https://counts.example");
  const many = await Promise.all(
    records.slice(0, 23).map(async (record, index) => {
      const file = join(folder, `${index}.csv`);
      await writeFile(file, CSV_HEADER + csvLine(record));
      return file;
    }),
  );
  await runData(["load", ...place, ...many]);
  expect(await sources()).toMatch(/^0\.csv, 1\.csv, .* 19\.csv, and 3 more$/);
  // More than a statement of D1 can hold.
  const long = "é".repeat(60_000);
  await runData(["load", ...place, ...files, "--source", long]);
  expect(await sources()).toBe(long);
});

test("info fails if the configuration cannot be read", async () => {
  expect(await info("--config", folder)).toEqual({
    status: 1,
    stdout: "",
    stderr: `The configuration ${folder} cannot be read: it is a directory\n`,
  });
});

test("info fails if the store cannot be read", async () => {
  await writeFile(join(folder, "file"), "");
  const { status, stderr } = await info("--store", "d1", "--persist-to", join(folder, "file"));
  expect(status).toBe(1);
  expect(stderr).toContain(join(folder, "file"));
});
