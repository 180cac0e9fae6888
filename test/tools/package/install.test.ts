import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { copyFile, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { CSV_HEADER, formatCsvLine } from "../../../data/formats/csv.ts";
import { listenOnFreePort } from "../../free-port.ts";
import { makeRecords } from "../../records/sample.ts";
import { createFolder } from "../../temporary-folder.ts";
import { removeProgress, runData } from "../command-line/run-command.ts";
import { installPackage } from "./built-package.ts";

let folder: string;
let tarball: string;
beforeAll(async () => {
  ({ folder, tarball } = await installPackage());
  await writeFile(join(folder, "counts.csv"), CSV_HEADER + makeRecords(50).map(formatCsvLine).join(""));
});

const NAME = "traffic-count-records";

/**
 * The programs of the lowest Node that the package supports, of the newest one, and of one that is too old, besides that of this
 * project, and of other runtimes. CI installs them.
 */
const { LOWEST_NODE = "", NEWEST_NODE = "", OLD_NODE = "", BUN = "", DENO = "" } = process.env;

/** The calls in which `fetch` of the lowest Node differs from that of newer ones. */
const LOWEST_NODE_DIFFERENCES = ["an abort after the response", "an abort of a cut body"];

/** Runs a program in the client's folder, without npm's variables of this test run. */
async function run(program: string, args: string[], env: Record<string, string> = {}) {
  const options = { cwd: folder, env: { ...process.env, ...env } };
  return promisify(execFile)(program, args, options).then(
    (printed) => ({ status: 0, ...printed }),
    ({ code, stdout, stderr }) => ({ status: Number(code), stdout, stderr }),
  );
}

/**
 * Starts the command with a file and waits for its line.
 * @param runtime a program to use instead of the Node of this test, with its own arguments
 */
async function start(args: string[], [runtime = "", ...own]: string[] = [process.execPath]) {
  const script = join(folder, "node_modules/.bin", NAME);
  const command = spawn(runtime, [...own, script, "counts.csv", "--port", "0", ...args], { cwd: folder });
  const printed = text(command.stderr);
  const [line] = await once(createInterface(command.stdout), "line");
  expect(line).toMatch(/^Serving (with .+ )?at http:\/\/[a-z0-9.]+:\d+$/i);
  /** Ends the command, and returns its exit status and what it printed on standard error. */
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    command.kill(signal);
    const [status] = await once(command, "close");
    return { status, stderr: removeProgress(await printed) };
  };
  return { line, url: line.split(" ").at(-1), stop };
}

/** A program that uses every member of a service. */
const PROGRAM = `import { createService, type Service, type TrafficRecord } from "traffic-count-records";
  const records: TrafficRecord[] = [];
  const service: Service = createService({ records, now: Date.now });
  const client: typeof fetch = service.fetch;
  const response = await client("https://counts.example/api/tf1/records/");
  const etags: (string | null)[] = service.requests.map(({ headers }) => headers.get("If-None-Match"));
  const { url, close } = await service.listen({ port: 0 });
  await service.replace(records);
  await service.replace();
  await service.ready;
  // @ts-expect-error A model is one of those that occur.
  export const model: TrafficRecord["model_name"] = "tf2";
  // @ts-expect-error A file is a path.
  export const wrong = () => createService({ files: [1] });
  console.log(response.status, etags.length, new URL(url).hostname);
  await close();`;

describe("the package", () => {
  const installed = () => join(folder, "node_modules", NAME);

  test("is small, and has no dependencies", async () => {
    const files = await readdir(installed(), { recursive: true });
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(installed(), file))).size));
    expect((await stat(tarball)).size).toBeLessThan(700_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2_000_000);
    expect((await readdir(join(folder, "node_modules"))).filter((name) => !name.startsWith("."))).toEqual([
      NAME,
    ]);
  });

  test("contains the licences of the libraries in it", async () => {
    const notices = await readFile(join(installed(), "NOTICES.txt"), "utf8");
    for (const library of ["hono", "commander", "csv-parse", "zod"])
      expect(notices).toMatch(
        new RegExp(`^${library} \\d+\\.\\d+\\.\\d+\n\n(.+\n|\n)*?.*(MIT|Copyright)`, "m"),
      );
  });

  test("contains the pages that its README links to", async () => {
    const readme = await readFile(join(installed(), "README.md"), "utf8");
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, file]) => String(file));
    expect(links.length).toBeGreaterThan(3);
    for (const file of links) expect(await readdir(installed())).toContain(file);
  });

  test("has types that a strict program accepts, without those of Node or Cloudflare", async () => {
    const compilerOptions = {
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      module: "nodenext",
      target: "es2024",
      lib: ["es2024", "dom"],
      types: [],
    };
    const configuration = JSON.stringify({ compilerOptions, files: ["program.ts"] });
    await writeFile(join(folder, "tsconfig.json"), configuration);
    await writeFile(join(folder, "program.ts"), PROGRAM);
    const tsc = await run(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", "."]);
    expect(tsc).toEqual({ status: 0, stdout: "", stderr: "" });
  });
});

test.each([
  [
    [],
    { status: 1, stderr: expect.stringMatching(/^Error: .* A bundler must keep this package external\.$/m) },
  ],
  [[NAME], { status: 0, stdout: "200 1 localhost\n" }],
])("a bundle works if the package is external: %j", async (external, expected) => {
  const outfile = join(createFolder(), "program.mjs");
  await symlink(join(folder, "node_modules"), join(outfile, "..", "node_modules"));
  const stdin = { contents: PROGRAM, loader: "ts", resolveDir: folder } as const;
  await build({ stdin, external, outfile, bundle: true, platform: "node", format: "esm" });
  expect(await run(process.execPath, ["--no-warnings", outfile])).toMatchObject(expected);
});

describe("the command", () => {
  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("serves files, and %s ends it at once", async (signal, status) => {
    const { url, stop } = await start(["--public-origin", "https://counts.example"]);
    const { count, next } = Object(await (await fetch(`${url}/api/tf1/records/`)).json());
    expect([count, next]).toEqual([50, "https://counts.example/api/tf1/records/?format=api&page=2"]);
    void fetch(`${url}/api/tf1/records/?prefer=hang`).catch(() => {});
    expect(await stop(signal)).toEqual({ status, stderr: "" });
  });

  test("with --log prints each request", async () => {
    const { line, url, stop } = await start(["--log", "--prefer", "code=429"]);
    expect(line).toContain("Serving with code=429 at ");
    await fetch(`${url}/api/tf1/records/?page=2`, { headers: { "If-None-Match": '"a"' } });
    expect(JSON.parse((await stop()).stderr)).toMatchObject({
      method: "GET",
      url: `${url}/api/tf1/records/?page=2`,
      headers: { "if-none-match": '"a"' },
      status: 429,
      applied: ["code=429"],
    });
  });

  const warning = /^Warning: other machines can connect to 0\.0\.0\.0, .* Set --public-origin\.\n$/;
  test.each([
    [["--host", "0.0.0.0"], warning],
    [["--host", "0.0.0.0", "--public-origin", "https://counts.example"], /^$/],
    [["--host", "127.0.0.1"], /^$/],
    [["--host", "LOCALHOST"], /^$/],
  ])("warns of links that repeat any host: %j", async (args, printed) => {
    const { stop } = await start(args);
    expect((await stop()).stderr).toMatch(printed);
  });

  test("starts as release.yml starts it on each system", async () => {
    const { jobs } = parse(readFileSync(".github/workflows/release.yml", "utf8"));
    const { origin, close } = await listenOnFreePort(createServer());
    await close();
    const script = jobs.start.steps.at(-1).run.replaceAll("8787", new URL(origin).port);
    const cwd = createFolder();
    await copyFile(tarball, join(cwd, basename(tarball)));
    // As GitHub runs a script with `shell: bash`.
    const options = ["--noprofile", "--norc", "-eo", "pipefail", "-c", script];
    const { stdout } = await promisify(execFile)("bash", options, { cwd });
    expect(stdout).toMatch(/^Serving .*\n\{"count":40614,/);
  });

  test("with a wrong file prints what load prints", async () => {
    const file = join(folder, "wrong.csv");
    await writeFile(file, `${CSV_HEADER}1,1,a,2019-01-01T00:00:00Z,,-1,0,0,0,0,0,tf2\n`);
    const { stderr } = await runData(["load", file, "--persist-to", folder]);
    const printed = await run("npx", [NAME, file, "--port", "0"]);
    expect({ ...printed, stderr: removeProgress(printed.stderr) }).toEqual({ status: 1, stdout: "", stderr });
    expect(stderr).toContain('wrong.csv:2: model_name "tf2" is not "tf1"');
  });

  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  test.each([
    [["--version"], {}, 0, version],
    [["--port", "99999"], {}, 2, "It must be a whole number, 0 to 65535."],
    [["--cars"], {}, 2, "unknown option '--cars'"],
    [[], { PORT: "eighty" }, 2, "value 'eighty' from env 'PORT' is invalid"],
    [
      ["--prefer", "code=5"],
      {},
      2,
      '--prefer is "code=5". code=5 is invalid: code must be a whole number from',
    ],
    [["--public-origin", "foo"], {}, 2, '--public-origin is "foo"; it must be an http or https URL'],
    [["--model-name", "tf2"], {}, 2, '--model-name must be "tf1".'],
    [["--host", ""], {}, 2, "It must not be empty."],
    [["--host", "203.0.113.1"], {}, 1, "The service cannot listen at port 8787 of 203.0.113.1 ("],
    [["nothing.csv"], {}, 1, "nothing.csv: cannot be read: it does not exist"],
    [["chek", "http://localhost"], {}, 2, "is not a file. Did you mean `check http://localhost`?"],
  ])("%j with %j ends with %i", async (args, env, expected, message) => {
    const { status, stdout, stderr } = await run("npx", [NAME, ...args], env);
    const [shown, other] = expected === 0 ? [stdout, stderr] : [stderr, stdout];
    expect([status, shown, other]).toEqual([expected, expect.stringContaining(message), ""]);
  });

  const UNSUPPORTED = /^traffic-count-records needs Node 22\.13 or newer, and this is Node [\d.]+\.\n$/;
  const SCRIPT = () => join(folder, "node_modules/.bin", NAME);

  test.each([
    ["22.12.0", 1],
    ["22.13.0", 0],
    ["21.99.0", 1],
  ])("in Node %s ends with %i", async (node, status) => {
    const change = `Object.defineProperty(process.versions, "node", { value: "${node}" })`;
    const options = [`--import=data:text/javascript,${encodeURIComponent(change)}`];
    const command = await run(process.execPath, [...options, SCRIPT(), "--version"]);
    expect([command.status, command.stderr]).toEqual([
      status,
      status ? expect.stringMatching(UNSUPPORTED) : "",
    ]);
  });

  test.runIf(OLD_NODE)("and the import end with a sentence in a Node that is too old", async () => {
    expect(await run(OLD_NODE, [SCRIPT()])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(UNSUPPORTED),
    });
    const { status, stderr } = await run(OLD_NODE, ["--input-type=module", "--eval", `import "${NAME}"`]);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^Error: traffic-count-records needs Node /m),
    ]);
    // Node also shows the line that throws, which must not be the whole program.
    expect(stderr.length).toBeLessThan(1_500);
  });
});

describe.each<[string, string, RegExp, ...string[]]>([
  ["the current Node", process.execPath, /^v\d/],
  ["the lowest Node", LOWEST_NODE, /^v22\.13\.0$/],
  ["the newest Node", NEWEST_NODE, /^v26\./],
  ["Bun", BUN, /^1\.4\.5$/],
  ["Deno", DENO, /^deno 2\.9\.6 /, "run", "--allow-all"],
])("in %s that it is tested with", (_, runtime, version, ...own) => {
  test.runIf(runtime)("the command serves files", async () => {
    expect((await run(runtime, ["--version"])).stdout.trim()).toMatch(version);
    const { url, stop } = await start([], [runtime, ...own]);
    const checked = await run(runtime, [...own, join(folder, "node_modules/.bin", NAME), "check", url]);
    for (const accept of ["application/json", "text/html"])
      for (const path of ["/", "/docs", "/healthz", "/api/tf1/records/?prefer=body%3Dslow"])
        expect((await fetch(url + path, { headers: { accept } })).status).toBe(200);
    expect(checked).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+ pass, 0 fail, /m) });
    expect((await stop()).stderr).toBe("");
  });

  test.runIf(runtime)("a program uses it", async () => {
    await writeFile(join(folder, "program.ts"), PROGRAM);
    // The lowest Node reads TypeScript only with an option.
    const env = { NODE_OPTIONS: "--no-warnings --experimental-strip-types" };
    const program = await run(runtime, [...own, "program.ts"], env);
    expect(program).toEqual({ status: 0, stdout: "200 1 localhost\n", stderr: "" });
  });
});

describe.each([
  ["current", process.execPath, []],
  ["lowest", LOWEST_NODE, LOWEST_NODE_DIFFERENCES],
  ["newest", NEWEST_NODE, []],
])("in the %s Node that it is tested with", (_, node, differences) => {
  test.runIf(node)("service.fetch does what its own fetch does", async () => {
    const program = `import { createService } from "${NAME}";
      import { listDifferences } from "${resolve("test/tools/package/fetch-calls.ts")}";
      console.log(JSON.stringify(await listDifferences(createService({ files: ["counts.csv"] }))));`;
    const options = ["--no-warnings", "--experimental-strip-types", "--input-type=module"];
    const { stdout, stderr } = await run(node, [...options, "--eval", program]);
    const expected = differences.map((name) => expect.objectContaining({ name }));
    expect([stderr, JSON.parse(stdout)]).toEqual(["", expected]);
  });
});
