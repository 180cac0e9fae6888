import { readFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { expect, test } from "vitest";
import { createInstance, createMemoryService } from "./memory-service.ts";
import { makeRecords } from "./records/sample.ts";

const PAGE = "/api/tf1/records/?page=2";

/** The functions that the runtime calls while something is done, by the file of src/. A callback without a name belongs to its function. */
async function traceFunctions(action: () => Promise<unknown>): Promise<Map<string, string[]>> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await action();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const files = result.flatMap(({ url, functions }): [string, string[]][] => {
    const [, file] = /\/(src\/(?!.*node_modules).+)$/.exec(url) ?? [];
    const called = functions.filter(({ functionName, ranges }) => functionName !== "" && ranges[0]?.count);
    return file === undefined || called.length === 0
      ? []
      : [[file, called.map(({ functionName }) => functionName)]];
  });
  return new Map(files);
}

/** The names of a kind in the table of docs/architecture.md. */
async function readPath(column: number): Promise<string[]> {
  const text = await readFile("docs/architecture.md", "utf8");
  const [, section = ""] = text.split("## The path of a request\n");
  const rows = section.split("\n## ")[0]?.match(/^\| \d+ \|.*$/gm) ?? [];
  return rows.flatMap((row) =>
    Array.from(row.split("|")[column]?.matchAll(/`([^`]+)`/g) ?? [], ([, name]) => String(name)),
  );
}

test("a page that the instance keeps takes the path that docs/architecture.md lists, and no more", async () => {
  const { store } = await createMemoryService(makeRecords(400));
  const { fetch } = createInstance(store);
  // The first request reads the page, and the second one keeps its text.
  for (let request = 0; request < 2; request++) await fetch(PAGE);
  const traced = await traceFunctions(() => fetch(PAGE));
  const functions = [...traced.values()].flat();
  expect([...functions].sort()).toEqual((await readPath(2)).sort());
  expect([...traced.keys()].sort()).toEqual([...new Set(await readPath(3))].sort());
  expect(traced.size).toBeLessThanOrEqual(10);
  expect(functions.length).toBeLessThanOrEqual(31);
});
