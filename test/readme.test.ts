import { exec } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CSV_HEADER, csvLine } from "../data/outputs/csv.ts";
import { makeRecords } from "./records/sample.ts";
import { runData, type Served, serve, untilFresh } from "./serve.ts";

const README = await readFile("README.md", "utf8");
const REPORT_HEADER =
  "image_proc,image_capt,camera_ref,model_name,car,person,bicycle,motorcycle,bus,truck,warnings";

/** The contents of the fenced blocks of a language. */
function blocks(language: string): string[] {
  return [...README.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , text]) => text!);
}

const commands = blocks("sh").flatMap((block) => block.trimEnd().split("\n"));

/** What CI and other tests run as it stands. */
const RUN_ELSEWHERE = new Set([
  "npm ci && npm start",
  "npm start -- --port 9000",
  "npm ci && npm test",
  "npm run bench",
]);

const PATH = "/api/tf1/records/";

let folder: string;
let served: Served;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "readme-test-"));
  served = await serve(folder);
});
afterAll(async () => {
  await served?.close();
  await rm(folder, { recursive: true, force: true });
});

const write = (name: string, ...lines: string[]) => writeFile(join(folder, name), `${lines.join("\n")}\n`);

/** The files that the README's commands name. */
async function writeFiles(): Promise<void> {
  await writeFile(join(folder, "counts.csv"), CSV_HEADER + makeRecords(50).map(csvLine).join(""));
  await write(
    "report-1.csv.gz",
    REPORT_HEADER,
    "2025-10-29 09:23:09+00:00,2025-10-29 09:10:27+00:00,A33,tf2,1,0,0,0,0,0,0",
  );
  await write(
    "report-2.csv.gz",
    REPORT_HEADER,
    "2025-10-29 09:24:00+00:00,2025-10-29 09:10:27+00:00,C94,tf2,1,0,0,0,0,0,0",
  );
}

/** The command as it stands, but for the port and the folders, which belong to this test. */
function adapt(command: string): string {
  return command
    .replaceAll("http://localhost:8787", served.origin)
    .replaceAll(
      /\b(counts\.csv|made-up\.csv|everything\.csv|records\.jsonl|report-\d\.csv\.gz)/g,
      `${folder}/$1`,
    )
    .replaceAll(/npm run data -- (load|info|export)/g, `npm run --silent data -- $1 --persist-to ${folder}`);
}

/** What a command prints if it did what the README says. */
function outcome(command: string): RegExp {
  if (command.includes("--append")) return /Added \d+ records?; \d+ are loaded\.$/m;
  if (command.includes("data -- load")) return /^Loaded \d+ records\.$/m;
  if (command.includes("data -- check")) return /^\d+ records can be loaded\.$/m;
  if (command.includes("data -- export")) return /^Exported \d+ records\.$/m;
  if (command.includes("data -- info")) return /^records +\d+$/m;
  if (command.includes("data -- crawl")) return /^Copied \d+ records/m;
  if (command.includes("data -- generate")) return /generate --records/;
  return /^\{"count":/;
}

const runCommand = promisify(exec);

describe("the README", () => {
  test("shows an answer of the seed", async () => {
    const [example] = blocks("json").map((text) =>
      JSON.parse(text.replaceAll("http://localhost:8787", served.origin)),
    );
    const answer = await (await fetch(`${served.origin}${PATH}?page=2`)).json();
    expect({ ...Object(answer), results: Object(answer).results.slice(0, example.results.length) }).toEqual(
      example,
    );
  });

  test("shows what bad input says", async () => {
    await write(
      "counts.csv",
      CSV_HEADER.trimEnd(),
      "1,1,a33,2025-10-29T09:10:27Z,True,many,0,0,0,0,0,tf1",
      "2,1,a33,2019-02-30T10:00:00Z,True,1,0,0,0,0,0,tf1",
      "3,1,a33,2025-10-29T10:10:27Z,True,1,0,0,0,0,0,tf1",
      "3,1,a33,2025-10-29T10:40:27Z,True,1,0,0,0,0,0,tf1",
    );
    const { status, stderr } = await runData(["load", join(folder, "counts.csv"), "--persist-to", folder]);
    expect(status).toBe(1);
    expect(blocks("")).toContain(stderr.replaceAll(`${folder}/`, ""));
  });

  test("has commands", () => expect(commands.length).toBeGreaterThan(4));

  test.each(commands.filter((command) => !RUN_ELSEWHERE.has(command)))("%s", async (command) => {
    await writeFiles();
    // A collection that is replaced during a crawl ends it.
    if (command.includes("crawl")) await untilFresh();
    const { stdout } = await runCommand(adapt(command));
    expect(stdout).toMatch(outcome(command));
  });

  test("names every setting that the worker reads, and so does wrangler.toml", async () => {
    const settings = [...(await readFile("src/env.ts", "utf8")).matchAll(/^ {2}([A-Z_]+)\?: string/gm)].map(
      ([, name]) => name!,
    );
    const configuration = await readFile("wrangler.toml", "utf8");
    expect(settings).toContain("PUBLIC_ORIGIN");
    for (const name of settings) {
      expect(README).toContain(`\`${name}\``);
      expect(configuration).toContain(name);
    }
  });

  test("names every option of load", async () => {
    const { stdout } = await runCommand("npm run --silent data -- load --help");
    const options = [...stdout.matchAll(/--[a-z-]+/g)]
      .map(([option]) => option)
      .filter((option) => option !== "--help");
    expect(options).toContain("--strict");
    for (const option of options) expect(README).toContain(`\`${option}`);
  });
});
