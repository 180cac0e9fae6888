import { execFile, spawnSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { TrafficRecord } from "../../src/records/record.ts";
import { writePrograms } from "../../src/site/landing/client-examples.ts";
import { listen } from "../../tools/package/listen.ts";
import { expectInDocument } from "../documents/documentation.ts";
import { createMemoryService, type MemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { createFolder } from "../temporary-folder.ts";
import { extractText, IN_BROWSER } from "./web-page.ts";

/** How a program is run, what checks that it can be, and the file that it writes. */
const LANGUAGES = [
  ["JavaScript", [process.execPath, "--input-type=module", "--eval"], "1", "records.jsonl"],
  ["Python", ["python3", "-c"], "import pandas", "records.csv"],
] as const;

const folder = createFolder();

test("the landing page has the programs, and docs/data.md the first one", async () => {
  const { fetch, origin } = await createMemoryService();
  const page = extractText(await (await fetch("/", IN_BROWSER)).text());
  for (const { code } of writePrograms(`${origin}/api/tf1/records/`)) expect(page).toContain(code);
  const programs = writePrograms("http://localhost:8787/api/tf1/records/");
  expectInDocument("docs/data.md", [`\n${programs[0]?.code}\n\`\`\`\n`]);
  expect(programs.map(({ language }) => language)).toEqual(LANGUAGES.map(([name]) => name));
});

for (const [name, [program, ...options], probe, output] of LANGUAGES) {
  const canRun = spawnSync(program, [...options, probe]).status === 0;
  test.runIf(canRun).concurrent(`the program in ${name} reads all records once, and waits`, async () => {
    const grown = makeRecords(75);
    const service = await createMemoryService(grown.slice(0, 74));
    const { server, countEarly, countRequests } = await serveBadly(service, grown);
    const programs = writePrograms(`${server.url}/api/tf1/records/`);
    const code = String(programs.find(({ language }) => language === name)?.code);
    const cwd = join(folder, name);
    await mkdir(cwd);
    await promisify(execFile)(program, [...options, code], { cwd });
    await server.close();
    expect(countEarly()).toBe(0);
    expect(countRequests()).toBeGreaterThan(6);
    // The new record moved the others, so a record was on two pages.
    const ids = new Set(grown.slice(0, 74).map(({ id }) => id));
    const read = await readIds(join(cwd, output));
    expect(read).toHaveLength(74);
    expect(new Set(read)).toEqual(ids);
  });
}

/**
 * Serves the collection as a deployment that refuses every third request because of its limit or because its store fails, and
 * whose collection has a new record after the second page. Clients that come back too early are refused again.
 */
async function serveBadly(service: MemoryService, grown: TrafficRecord[]) {
  let [requests, early, end] = [0, 0, 0];
  const refuse = (url: string) => {
    const [status, seconds] = requests % 2 ? [429, 1] : [503, 2];
    end = Date.now() + seconds * 1_000 - 50;
    return service.fetch(url, { headers: { prefer: `code=${status},retry-after=${seconds}` } });
  };
  const server = await listen(
    async ({ url }) => {
      requests++;
      if (requests === 3) service.load(grown);
      const isEarly = Date.now() < end;
      if (isEarly) early++;
      return isEarly || requests % 3 === 0 ? refuse(url) : service.fetch(url);
    },
    { port: 0 },
  );
  return { server, countEarly: () => early, countRequests: () => requests };
}

/** The ids in a file that a program wrote. */
async function readIds(file: string): Promise<number[]> {
  const [first = "", ...lines] = (await readFile(file, "utf8")).trimEnd().split("\n");
  if (first.startsWith("{")) return [first, ...lines].map((line) => JSON.parse(line).id);
  expect(first).toMatch(/^id,camera_pk,camera_ref,timestamp,camera_ok,cars,/);
  return lines.map((line) => Number(line.split(",")[0]));
}
