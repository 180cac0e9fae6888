import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { Page } from "../../../src/records/record.ts";
import { makeRecords } from "../../records/sample.ts";
import { createLocalStore } from "./local-store.ts";

const RECORDS = makeRecords(40);

const local = createLocalStore();
beforeAll(async () => {
  await local.run("load", "--store", "kv", await local.write("records.csv", RECORDS));
});

test("export takes the store and the PUBLIC_ORIGIN of page links from the file of --config", async () => {
  const config = join(local.folder, "wrangler.json");
  await writeFile(config, JSON.stringify({ vars: { STORE: "kv", PUBLIC_ORIGIN: "https://counts.example" } }));
  const { status, stdout } = await local.run("export", "--config", config, "--format", "pages");
  expect(status).toBe(0);
  const pages = stdout
    .trimEnd()
    .split("\n")
    .map((line) => Page.parse(JSON.parse(line)));
  const link = (page: number) => `https://counts.example/api/tf1/records/?format=api&page=${page}`;
  expect(pages.map(({ next, previous }) => [next, previous])).toEqual([
    [link(2), null],
    [link(3), link(1)],
    [null, link(2)],
  ]);
  expect(pages.flatMap(({ results }) => results)).toEqual(RECORDS.toReversed());
});
