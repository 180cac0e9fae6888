import { execFile, spawnSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { TrafficRecord } from "../../src/records/record.ts";
import { writePrograms } from "../../src/site/landing/client-examples.ts";
import { listen } from "../../tools/package/listen.ts";
import { createMemoryService, type MemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { createFolder } from "../temporary-folder.ts";
import { IN_BROWSER } from "./web-page.ts";

interface Language {
  name: string;
  /** What the program does not do with its records, so that the test can read them. */
  end: string;
  command: string;
  arguments: string[];
  /** Checks that what the program needs is installed. */
  probe: string[];
  output: string;
}

const LANGUAGES: Language[] = [
  {
    name: "JavaScript",
    end: "",
    command: process.execPath,
    arguments: ["--input-type=module", "--eval"],
    probe: ["--version"],
    output: "records.jsonl",
  },
  {
    name: "Python",
    end: "",
    command: "python3",
    arguments: ["-c"],
    probe: ["-c", "import pandas"],
    output: "records.csv",
  },
  {
    name: "R",
    end: '\nwrite.csv(records, "records.csv", row.names = FALSE)',
    command: "Rscript",
    arguments: ["-e"],
    probe: ["-e", "library(httr2)"],
    output: "records.csv",
  },
];

const folder = createFolder();
const runs = ({ command, probe }: Language) => spawnSync(command, probe).status === 0;

/** The ids in a file that a program wrote, in the order of the file. */
async function readIds(file: string): Promise<number[]> {
  const [first = "", ...lines] = (await readFile(file, "utf8")).trimEnd().split(/\r?\n/);
  if (first.startsWith("{")) return [first, ...lines].map((line) => JSON.parse(line).id);
  expect(first.replaceAll('"', "")).toMatch(/^id,camera_pk,camera_ref,timestamp,camera_ok,cars,/);
  return lines.map((line) => Number(line.split(",")[0]));
}

/** How long a client must wait, as `Retry-After` says. */
const WAIT_SECONDS = 1;

/**
 * Serves the collection as a deployment that refuses every third request because of its limit or because its store fails, and
 * whose collection has a new record after the second page. Clients that come back too early are refused again.
 */
async function serveBadly(service: MemoryService, grown: TrafficRecord[]) {
  let [requests, early, end] = [0, 0, 0];
  const refuse = (url: string) => {
    end = Date.now() + 1_000 * WAIT_SECONDS - 50;
    const prefer = `code=${requests % 2 ? 429 : 503},retry-after=${WAIT_SECONDS}`;
    return service.fetch(url, { headers: { prefer } });
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

describe("the programs of the landing page", () => {
  test("are on the page and in docs/data.md, and are all tested here", async () => {
    const { fetch, origin } = await createMemoryService();
    const page = await (await fetch("/", IN_BROWSER)).text();
    const decode = (text: string) =>
      text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
    for (const { code } of writePrograms(`${origin}/api/tf1/records/`)) expect(decode(page)).toContain(code);
    const documentation = await readFile("docs/data.md", "utf8");
    const programs = writePrograms("http://localhost:8787/api/tf1/records/");
    expect(documentation).toContain(`\n${programs[0]?.code}\n\`\`\`\n`);
    expect(programs.map(({ language }) => language)).toEqual(LANGUAGES.map(({ name }) => name));
  });

  for (const language of LANGUAGES)
    test.runIf(runs(language)).concurrent(`${language.name}: reads all records once, and waits`, async () => {
      const grown = makeRecords(75);
      const service = await createMemoryService(grown.slice(0, 74));
      const { server, countEarly, countRequests } = await serveBadly(service, grown);
      const { code = "" } =
        writePrograms(`${server.url}/api/tf1/records/`).find((one) => one.language === language.name) ?? {};
      const cwd = join(folder, language.name);
      await mkdir(cwd);
      await promisify(execFile)(language.command, [...language.arguments, code + language.end], { cwd });
      await server.close();
      expect(countEarly()).toBe(0);
      expect(countRequests()).toBeGreaterThan(6);
      // The new record moved the others, so a record was on two pages.
      const ids = await readIds(join(cwd, language.output));
      expect(ids.toSorted((one, other) => one - other)).toEqual(
        grown
          .slice(0, 74)
          .map(({ id }) => id)
          .toSorted((one, other) => one - other),
      );
    });
});
