import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeRecords } from "../../records/sample.ts";
import { copy, linesOf, newFile } from "./copy.ts";
import { type Service, startService } from "./service.ts";

const RECORDS = makeRecords(100);
const LINES = linesOf(RECORDS);

let service: Service;
beforeEach(async () => {
  service = await startService(RECORDS);
});
afterEach(() => service.close());

describe("a file that exists without progress", () => {
  test("stays as it is", async () => {
    const out = newFile();
    writeFileSync(out, "precious");
    const { error } = await copy(service.origin, { out });
    expect(error).toMatch(/exists already, .* --restart replaces it$/);
    expect(readFileSync(out, "utf8")).toBe("precious");
    expect(service.asked).toEqual([]);
  });

  test("is replaced with --restart, once the service has answered", async () => {
    const out = newFile();
    writeFileSync(out, "precious");
    service.onAsk = () => ({ status: 403 });
    await copy(service.origin, { out, restart: true });
    expect(readFileSync(out, "utf8")).toBe("precious");
    service.onAsk = () => undefined;
    expect(await copy(service.origin, { out, restart: true })).toMatchObject({ lines: LINES });
  });
});

test("what is no file is refused, and nothing is left beside it", async () => {
  const folder = newFile();
  mkdirSync(folder);
  for (const restart of [false, true]) {
    const { error } = await copy(service.origin, { out: folder, restart });
    expect(error).toBe(
      `${folder} is no file, which a copy needs to be gone on with; --out - is standard output`,
    );
  }
  expect(service.asked).toEqual([]);
  expect(readdirSync(dirname(folder)).filter((name) => name.startsWith(basename(folder)))).toEqual([
    basename(folder),
  ]);
});

test("a file that cannot be written is an error", async () => {
  const { error } = await copy(service.origin, { out: "/nowhere/records.jsonl" });
  expect(error).toMatch(/^\/nowhere\/records\.jsonl cannot be written: ENOENT/);
});
