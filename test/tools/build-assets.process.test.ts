import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createProject, UNCOMMENT_ROUTES } from "../support/project.ts";
import { runProcess } from "../support/run-command.ts";
import { readAddress } from "../support/serve.ts";
import { interrupt } from "./data/data-folder.ts";

// The tests share a clone. The first one builds in it for the first time.
const { folder, configure, run, start, addOtherConfiguration } = createProject("http://localhost");
const SEED_FILE = "data/seed/2019.csv";
const seedFile = join(folder, SEED_FILE);
beforeEach(async () => {
  for (const file of ["wrangler.toml", SEED_FILE]) await copyFile(file, join(folder, file));
});

/** Builds as `wrangler dev` or another command does. */
const build = (command = "dev", env: NodeJS.ProcessEnv = {}) =>
  run(["tools/build-assets.ts"], { ...env, WRANGLER_COMMAND: command });

test("the build of wrangler dev loads the sample data once, even if two run at the same time", async () => {
  const builds = await Promise.all([build(), build()]);
  expect(builds).toMatchObject(Array(2).fill({ status: 0, stderr: "" }));
  expect(builds.filter(({ stdout }) => stdout.includes("Loaded 40614 records."))).toHaveLength(1);
  expect(await build(), "a build after a change").toEqual({ status: 0, stdout: "", stderr: "" });
});

test("plain wrangler dev serves the sample data, and after a change d1 keeps its records, and seed has the new ones", async () => {
  const options = ["--port", "0", "--inspector-port", "0"];
  const server = start(["node_modules/wrangler/bin/wrangler.js", "dev", ...options]);
  onTestFinished(async () => void (await interrupt(server, "SIGINT")));
  const origin = await readAddress(server.stdout, /Ready on (http:\S+)/);
  /** Reads the address of the sample data, and the source of the records. */
  const read = async () => {
    const { sample_data_url } = Object(await (await fetch(origin)).json());
    const source = (await fetch(`${origin}/api/tf1/records/`)).headers.get("Data-Source");
    return { sample_data_url, source };
  };
  const sample_data_url = `${origin}/seed.csv.gz`;
  expect(await read()).toEqual({ sample_data_url, source: "generated" });
  await writeFile(seedFile, (await readFile(seedFile, "utf8")).replace(/\d+,tf1\n/, "77,tf1\n"));
  // The file does not have the records that d1 serves.
  await expect.poll(read, { interval: 200 }).toEqual({ sample_data_url: null, source: "generated" });
  configure('STORE = "d1"', 'STORE = "seed"');
  await expect.poll(read, { interval: 200 }).toEqual({ sample_data_url, source: "2019.csv, 2025.csv" });
});

test("plain wrangler dev starts no server whose links lead to production, and no environment or invalid setting is deployed", async () => {
  const refused = (stderr: string) => ({ status: 1, stderr: expect.stringContaining(stderr) });
  expect(await build("deploy", { CLOUDFLARE_ENV: "other" })).toMatchObject(refused("CLOUDFLARE_ENV"));
  configure('FAULTS = "on"', 'FAULTS = "x"');
  expect(await build("deploy")).toMatchObject(refused('FAULTS is "x"'));
  configure('PUBLIC_ORIGIN = ""', 'PUBLIC_ORIGIN = "https://counts.example"');
  expect(await build()).toMatchObject(refused("PUBLIC_ORIGIN"));
  configure(...UNCOMMENT_ROUTES);
  expect(await build()).toMatchObject(refused("routes"));
});

test("an invalid line of the sample data is reported, and wrangler dev keeps the last valid one", async () => {
  expect(await build()).toEqual({ status: 0, stdout: "", stderr: "" });
  const snapshot = join(folder, "dist/assets/api/seed/current-snapshot.json");
  const before = await readFile(snapshot, "utf8");
  await writeFile(seedFile, (await readFile(seedFile, "utf8")).replace(/\n\d+,/, "\nx,"));
  const stderr = expect.stringMatching(/data\/seed\/2019\.csv:2: id "x" .*\nNothing was loaded\.\n$/);
  const kept = expect.stringMatching(/csv:2: id "x" .*\nNothing was loaded\.\n.* stays in use\.\n$/);
  expect(await build()).toEqual({ status: 0, stdout: "", stderr: kept });
  expect(await readFile(snapshot, "utf8")).toBe(before);
  expect(await build("deploy")).toEqual({ status: 1, stdout: "", stderr });
  await rm(snapshot);
  expect(await build(), "without earlier sample data").toEqual({ status: 1, stdout: "", stderr });
});

test("npm run build bundles this worker, even if wrangler itself would choose another project", async () => {
  addOtherConfiguration();
  const { status, stderr } = await runProcess("npm", ["run", "build"], { cwd: folder });
  expect([status, stderr]).toEqual([0, ""]);
  expect(await readFile(join(folder, "dist/worker/index.js"), "utf8")).toContain("/api/tf1/records/");
});
