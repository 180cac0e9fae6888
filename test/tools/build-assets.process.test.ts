import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProcess } from "../support/run-command.ts";
import { readAddress } from "../support/serve.ts";
import { createProject, UNCOMMENT_ROUTES } from "./deploy/project.ts";

/** Creates a clone, and returns it with a function that builds as `wrangler dev` or another command does. */
function createClone() {
  const project = createProject("http://localhost");
  const build = (command = "dev", env: NodeJS.ProcessEnv = {}) =>
    project.run(["tools/build-assets.ts"], { ...env, WRANGLER_COMMAND: command });
  return { ...project, build, seedFile: join(project.folder, "data/seed/2019.csv") };
}

/** Starts plain `wrangler dev`. Returns its home page in JSON and the source of its records. */
async function startDev({ start }: Pick<ReturnType<typeof createProject>, "start">, store: string) {
  const options = ["--port", "0", "--inspector-port", "0", "--var", `STORE:${store}`];
  const server = start(["node_modules/wrangler/bin/wrangler.js", "dev", ...options]);
  const origin = await readAddress(server.stdout, /Ready on (http:\S+)/);
  const home = await (await fetch(origin)).json();
  const source = (await fetch(`${origin}/api/tf1/records/`)).headers.get("Data-Source");
  const ended = once(server, "exit");
  server.kill("SIGINT");
  await ended;
  return { origin, home, source };
}

test("the build of wrangler dev loads the sample data once, even if two run at the same time", async () => {
  const { build } = createClone();
  const builds = await Promise.all([build(), build()]);
  expect(builds).toMatchObject(Array(2).fill({ status: 0, stderr: "" }));
  expect(builds.filter(({ stdout }) => stdout.includes("Loaded 40614 records."))).toHaveLength(1);
  expect(await build(), "a build after a change").toEqual({ status: 0, stdout: "", stderr: "" });
});

test("plain wrangler dev serves the sample data, and after a change d1 keeps its records, and seed has the new ones", async () => {
  const clone = createClone();
  const before = await startDev(clone, "d1");
  const sample_data_url = `${before.origin}/seed.csv.gz`;
  expect(before).toMatchObject({ home: { count: 40_614, sample_data_url }, source: "generated" });
  await writeFile(clone.seedFile, (await readFile(clone.seedFile, "utf8")).replace(/\d+,tf1\n/, "77,tf1\n"));
  // The file would not have the records that d1 serves.
  expect(await startDev(clone, "d1")).toMatchObject({ home: { sample_data_url: null }, source: "generated" });
  const { origin, home, source } = await startDev(clone, "seed");
  expect(home).toMatchObject({ sample_data_url: `${origin}/seed.csv.gz` });
  expect(source).toBe("2019.csv, 2025.csv");
});

test("plain wrangler dev starts no server whose links lead to production, and no environment is deployed", async () => {
  const { configure, build } = createClone();
  const refused = (stderr: string) => ({ status: 1, stderr: expect.stringContaining(stderr) });
  expect(await build("deploy", { CLOUDFLARE_ENV: "other" })).toMatchObject(refused("CLOUDFLARE_ENV"));
  configure('PUBLIC_ORIGIN = ""', 'PUBLIC_ORIGIN = "https://counts.example"');
  expect(await build()).toMatchObject(refused("PUBLIC_ORIGIN"));
  configure(...UNCOMMENT_ROUTES);
  expect(await build()).toMatchObject(refused("routes"));
});

test("an invalid line of the sample data is reported, and wrangler dev keeps the last valid one", async () => {
  const { folder, build, configure, seedFile } = createClone();
  configure('STORE = "d1"', 'STORE = "seed"');
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
  const { folder, addOtherConfigurations } = createProject("http://localhost");
  addOtherConfigurations();
  const { status, stderr } = await runProcess("npm", ["run", "build"], { cwd: folder });
  expect([status, stderr]).toEqual([0, ""]);
  expect(await readFile(join(folder, "dist/worker/index.js"), "utf8")).toContain("/api/tf1/records/");
});
