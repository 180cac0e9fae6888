import { exec } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { CSV_HEADER, csvLine } from "../data/formats/csv.ts";
import { makeRecords } from "./records/sample.ts";
import { runData } from "./run-command.ts";
import { serve, untilServed, useService } from "./serve.ts";
import { createFolder } from "./temporary-folder.ts";

/** The documentation. All commands in it are run; tests of the package run its own. */
const FILES = ["README.md", ...(await readdir("docs")).map((name) => `docs/${name}`).sort()];
const PACKAGE = "docs/package.md";
const readFiles = async (names: string[]) =>
  (await Promise.all(names.map((name) => readFile(name, "utf8")))).join("\n");
const DOCUMENTATION = await readFiles(FILES);
const EXAMPLES = await readFiles(FILES.filter((name) => name !== PACKAGE));
const { vars } = unstable_readConfig({ config: "wrangler.toml" });
const REPORT_HEADER =
  "image_proc,image_capt,camera_ref,model_name,car,person,bicycle,motorcycle,bus,truck,warnings";

/** The contents of the fenced blocks in a language. */
function blocks(language: string): string[] {
  return [...EXAMPLES.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , text]) => text!);
}

const commands = [...new Set(blocks("sh").flatMap((block) => block.trimEnd().split("\n")))];

/** Commands that CI and other tests run. */
const RUN_ELSEWHERE = new Set([
  "npm ci && npm test",
  "npm run bench",
  "npm run serve -- counts.csv --port 0",
]);

/** How the service is started; the arguments follow. */
const START = /^(?:npm ci && )?npm start(?: -- )?/;

/** Generated records are read, because the command prints nothing. */
const GENERATE = /data -- generate/;

/** Commands that need an account, or a deployment in one. */
const NEEDS_ACCOUNT = /\bwrangler (?!.*--local)|--remote|https:|npm run (deploy|preview)\b/;

const PATH = "/api/tf1/records/";

const folder = createFolder();
// A rate limit, a service without faults, or a store into which the commands do not load, would make the commands fail.
const served = useService(
  folder,
  ...startArguments().filter((argument) => !/FAULTS|RATE_LIMIT|STORE/.test(argument)),
);

/** The arguments of all examples of a start, one a `--var=NAME:VALUE`. The port is that of the test. */
function startArguments(): string[] {
  const texts = commands
    .filter((command) => START.test(command))
    .map((command) => command.replace(START, ""));
  return texts
    .filter((text) => text !== "" && !/^--port \d+$/.test(text))
    .map((text) => text.replace(" ", "="));
}

const write = (name: string, ...lines: string[]) => writeFile(join(folder, name), `${lines.join("\n")}\n`);

/** Writes the files that the commands name. */
async function writeFiles(): Promise<void> {
  await writeFile(join(folder, "counts.csv"), CSV_HEADER + makeRecords(50).map(csvLine).join(""));
  await write("records.jsonl", ...makeRecords(15).map((record) => JSON.stringify(record)));
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

/** The command with the port and the folder of this test. */
function adapt(command: string): string {
  return command
    .replaceAll("http://localhost:8787", served.origin)
    .replaceAll(
      /\b(counts\.csv|made-up\.csv|everything\.csv|records\.jsonl|etag\.txt|report-\d\.csv\.gz)/g,
      `${folder}/$1`,
    )
    .replaceAll(/npm run data -- (load|info|export)/g, `npm run --silent data -- $1 --persist-to ${folder}`)
    .replaceAll("--local", `--local --persist-to ${folder}`);
}

/** The output that a command prints if it succeeds, by a part of the command. The first match counts. */
const OUTCOMES: [part: string, output: RegExp][] = [
  ["data -- load", /^Loaded \d+ records\.$/m],
  ["data -- check", /^\d+ records can be loaded\.$/m],
  ["data -- export", /^Exported \d+ records\.$/m],
  ["data -- info", /^records +\d+$/m],
  ["--json", /^ {4}"fail": 0,$/m],
  ["conformance --", /^\d+ pass, 0 fail, /m],
  ["test:live", /^ +Tests +\d+ passed \(\d+\)$/m],
  ["healthz", /^\{"status":"ok","code":\{"id":"[^"]+",/],
  ["Prefer: code=503", /^HTTP\/1\.1 503 /],
  ["Prefer: ", /^Preference-Applied: (delay=200-800|body=garbage)\r$/m],
  ["d1 execute", /"timestamp": "20[^"]+",\s+"cars": \d+/],
  ["-X OPTIONS", /^\{"name":"Traffic Count Records",/],
  ["curl", /^\{"count":/],
];

function outcome(command: string): RegExp {
  const [, output] = OUTCOMES.find(([part]) => command.includes(part)) ?? [];
  if (!output) throw new Error(`The test does not know what the command prints: ${command}`);
  return output;
}

/** The response in the documentation that has this field. */
function findExample(field: string) {
  return blocks("json")
    .map((text) => JSON.parse(text.replaceAll("http://localhost:8787", served.origin)))
    .find((response) => field in response);
}

/** The names of the fields in their order, with the types of their values. */
function describeShape(value: unknown): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).map(([name, inner]) => [name, describeShape(inner)])
    : typeof value;
}

const runCommand = promisify(exec);

describe("the documentation", () => {
  test("shows a page of the seed", async () => {
    const example = findExample("results");
    const page = Object(await (await fetch(`${served.origin}${PATH}?page=2`)).json());
    expect({ ...page, results: page.results.slice(0, example.results.length) }).toEqual(example);
  });

  test("shows the fields of /healthz", async () => {
    const example = findExample("status");
    const health = await (await fetch(`${served.origin}/healthz`)).json();
    expect(describeShape(health)).toEqual(describeShape(example));
  });

  test("shows the messages about invalid input", async () => {
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

  test("starts with settings that exist", () => {
    const settings = startArguments().map((argument) => /^--var=([A-Z_]+):\S+$/.exec(argument)?.[1]);
    expect(settings).toEqual(expect.arrayContaining(["RATE_LIMIT"]));
    for (const setting of settings) expect(Object.keys(vars)).toContain(setting);
  });

  test("starts a service that limits requests", async () => {
    const limit = startArguments().filter((argument) => argument.includes("RATE_LIMIT"));
    const limited = await serve(join(folder, "limited"), ...limit);
    try {
      const page = await fetch(limited.origin + PATH, { headers: { Accept: "text/html" } });
      expect(await page.text()).toContain("limits how many requests a client may send within 60 seconds");
    } finally {
      await limited.close();
    }
  });

  test.each(commands.filter((command) => GENERATE.test(command)))("%s", async (command) => {
    await runCommand(adapt(command));
    const [, count, name] = /--records (\d+).* --out (\S+)/.exec(command) ?? [];
    const lines = (await readFile(join(folder, String(name)), "utf8")).trimEnd().split("\n");
    expect(lines).toHaveLength(1 + Number(count));
    expect(`${lines[0]}\n`).toBe(CSV_HEADER);
  });

  test.each(
    commands.filter(
      (command) =>
        !RUN_ELSEWHERE.has(command) && ![START, GENERATE, NEEDS_ACCOUNT].some((kind) => kind.test(command)),
    ),
  )("%s", async (command) => {
    await writeFiles();
    // A walk fails if the collection is replaced meanwhile.
    if (/conformance|test:live/.test(command)) await untilServed(served.origin);
    const { stdout } = await runCommand(adapt(command));
    expect(stripVTControlCharacters(stdout)).toMatch(outcome(command));
  });

  test.each([
    ["data -- load", "--strict"],
    ["serve --", "--host"],
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
