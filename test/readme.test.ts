import { exec } from "node:child_process";
import { glob, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { CSV_HEADER, csvLine } from "../data/formats/csv.ts";
import { runData } from "./processes.ts";
import { makeRecords } from "./records/sample.ts";
import { untilServed, useService } from "./serve.ts";
import { createFolder } from "./temporary-folder.ts";

/** What a person reads, in the order of reading; the commands of all of it are run. */
const FILES = ["README.md", ...(await readdir("docs")).map((name) => `docs/${name}`).sort()];
const DOCUMENTATION = (await Promise.all(FILES.map((name) => readFile(name, "utf8")))).join("\n");
const REPORT_HEADER =
  "image_proc,image_capt,camera_ref,model_name,car,person,bicycle,motorcycle,bus,truck,warnings";

/** The contents of the fenced blocks of a language. */
function blocks(language: string): string[] {
  return [...DOCUMENTATION.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , text]) => text!);
}

const commands = [...new Set(blocks("sh").flatMap((block) => block.trimEnd().split("\n")))];

/** What CI and other tests run as it stands. */
const RUN_ELSEWHERE = new Set([
  "npm ci && npm start",
  "npm start -- --port 9000",
  "npm start -- --var GROW:on",
  "npm start -- --var RATE_LIMIT:10",
  "npm ci && npm test",
  "npm run bench",
]);

/** What needs an account, or a deployment in one. */
const NEEDS_ACCOUNT = /\bwrangler\b|--remote|https:|npm run (deploy|preview|rollback)\b/;

const PATH = "/api/tf1/records/";

const folder = createFolder();
const served = useService(folder, "--var", "GROW:on");

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

async function load(files: string[], count: number): Promise<void> {
  const { stdout } = await runData(["load", ...files, "--persist-to", folder]);
  expect(stdout).toBe(`Loaded ${count} records.\n`);
}

/** The command as it stands, but for the port and the folders, which belong to this test. */
function adapt(command: string): string {
  return command
    .replaceAll("http://localhost:8787", served.origin)
    .replaceAll(
      /\b(counts\.csv|made-up\.csv|everything\.csv|records\.jsonl|conformance\.xml|report-\d\.csv\.gz)/g,
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
  if (command.includes("--json")) return /^ {4}"fail": 0,$/m;
  if (command.includes("conformance --")) return /^\d+ pass, 0 fail, /m;
  if (command.includes("data -- generate")) return /generate --records/;
  if (command.includes("test:live")) return /^ +Tests +\d+ passed(?: \| \d+ skipped)? \(\d+\)$/m;
  if (command.includes("healthz")) return /^\{"status":"ok","code":\{"id":"[^"]+",/;
  if (command.includes("Prefer: code=503")) return /^HTTP\/1\.1 503 /;
  if (command.includes("Prefer: ")) return /^Preference-Applied: (delay=200-800|body=garbage)\r$/m;
  if (command.includes("scheduled")) return /^ok$/;
  return /^\{"count":/;
}

/** The answer that is shown and has this field. */
function findExample(field: string) {
  return blocks("json")
    .map((text) => JSON.parse(text.replaceAll("http://localhost:8787", served.origin)))
    .find((answer) => field in answer);
}

/** The names of the fields, in their order, and the types of the values. */
function describeShape(value: unknown): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).map(([name, inner]) => [name, describeShape(inner)])
    : typeof value;
}

const runCommand = promisify(exec);

describe("the documentation", () => {
  test("shows an answer of the seed", async () => {
    const example = findExample("results");
    const answer = await (await fetch(`${served.origin}${PATH}?page=2`)).json();
    expect({ ...Object(answer), results: Object(answer).results.slice(0, example.results.length) }).toEqual(
      example,
    );
  });

  test("shows the health in its shape", async () => {
    const example = findExample("status");
    const health = await (await fetch(`${served.origin}/healthz`)).json();
    expect(describeShape(health)).toEqual(describeShape(example));
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

  test.each(commands.filter((command) => !RUN_ELSEWHERE.has(command) && !NEEDS_ACCOUNT.test(command)))(
    "%s",
    async (command) => {
      await writeFiles();
      // The cameras of counts.csv are not the generator's.
      if (command.includes("scheduled")) await load(await Array.fromAsync(glob("data/seed/*.csv")), 40_614);
      // The reports, which come before in the documentation, have other cameras.
      if (command.includes("--append")) await load([join(folder, "counts.csv")], 50);
      // A collection that is replaced during a walk ends it, or contradicts itself.
      if (/crawl|conformance|test:live/.test(command)) await untilServed(served.origin);
      const { stdout } = await runCommand(adapt(command));
      expect(stripVTControlCharacters(stdout)).toMatch(outcome(command));
    },
  );

  test("names every setting that the worker reads, and so does wrangler.toml", async () => {
    const settings = [...(await readFile("src/env.ts", "utf8")).matchAll(/^ {2}([A-Z_]+)\?: string/gm)].map(
      ([, name]) => name!,
    );
    const configuration = await readFile("wrangler.toml", "utf8");
    expect(settings).toContain("PUBLIC_ORIGIN");
    for (const name of settings) {
      expect(DOCUMENTATION).toContain(`\`${name}\``);
      expect(configuration).toContain(name);
    }
  });

  test.each([
    ["data -- load", "--strict"],
    ["conformance --", "--read-only"],
  ])("names every option of %s", async (command, one) => {
    const { stdout } = await runCommand(`npm run --silent ${command} --help`);
    const options = [...stdout.matchAll(/--[a-z-]+/g)]
      .map(([option]) => option)
      .filter((option) => option !== "--help");
    expect(options).toContain(one);
    for (const option of options) expect(DOCUMENTATION).toContain(`\`${option}`);
  });
});
