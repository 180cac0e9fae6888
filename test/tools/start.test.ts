import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";

import { CSV_HEADER, csvLine } from "../../data/formats/csv.ts";
import { makeRecords } from "../records/sample.ts";
import { runData } from "../run-command.ts";
import { serve } from "../serve.ts";
import { createFolder } from "../temporary-folder.ts";
import { createProject } from "./deploy/project.ts";

/** Writes a file with 20 records. */
async function writeRecords(file: string): Promise<void> {
  await writeFile(file, CSV_HEADER + makeRecords(20).map(csvLine).join(""));
}

test("npm start serves what was loaded before, without a rate limit, and ends with npm", async () => {
  const folder = createFolder();
  const file = join(folder, "records.csv");
  await writeRecords(file);
  await runData(["load", file, "--persist-to", folder]);
  const { origin, terminate } = await serve(folder);
  const page = await (await fetch(`${origin}/api/tf1/records/`)).json();
  expect(page).toMatchObject({ count: 20 });
  expect(await (await fetch(origin)).json()).toMatchObject({ rate_limit_seconds: null });
  await terminate();
  await expect(fetch(origin), "by nobody").rejects.toThrow("fetch failed");
});

test.each([
  ["STORE:sql", 'STORE is "sql"; it must be "d1", "kv" or "seed"'],
  ["STORE:kv", 'STORE is "kv", but wrangler.toml binds no KV. Uncomment [[kv_namespaces]] in wrangler.toml.'],
  ["RATE_LIMIT:10", 'RATE_LIMIT is "10", but [[ratelimits]] in wrangler.toml counts in periods of 60 s'],
])("npm start -- --var %s says what is wrong, and serves nothing", async (variable, problem) => {
  await expect(serve(createFolder(), "--var", variable)).rejects.toThrow(problem);
});

/** Copies the project, because other tests use what its builds write. */
function copyProject(): string {
  const project = createFolder();
  const files = ["LICENSE", "package.json", "README.md", "tsconfig.json", "wrangler.toml"];
  for (const name of [...files, "data", "docs", "src", "tools"])
    cpSync(name, join(project, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(project, "node_modules"));
  return project;
}

test("npm run serve builds without the files of earlier builds, and serves a file of the current folder", async () => {
  const project = copyProject();
  const earlier = ["assets/assets/main-00000000.css", "package/chunk-00000000.js"];
  for (const file of earlier) {
    mkdirSync(join(project, "dist", file, ".."), { recursive: true });
    await writeFile(join(project, "dist", file), "");
  }
  await writeRecords(join(project, "docs/counts.csv"));
  const args = ["run", "serve", "--", "counts.csv", "--port", "0"];
  const npm = spawn("npm", args, {
    ...{ cwd: join(project, "docs"), detached: true },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void process.kill(-Number(npm.pid), "SIGTERM"));
  let url: string | undefined;
  for await (const line of createInterface(npm.stdout)) {
    url = /^Serving at (.+)$/.exec(line)?.[1];
    if (url) break;
  }
  expect(await (await fetch(`${url}/api/tf1/records/`)).json()).toMatchObject({ count: 20 });
  const left = [...earlier, "assets/assets", "package/cli.js"].map((file) =>
    existsSync(join(project, "dist", file)),
  );
  expect(left).toEqual([false, false, true, true]);
});

describe("in a fresh clone", () => {
  const project = createProject("http://localhost");
  const build = () => project.run(["tools/build-assets.ts"], { WRANGLER_COMMAND: "dev" });

  test("the build of wrangler dev loads the seed once, even if two run at the same time", async () => {
    const builds = await Promise.all([build(), build()]);
    expect(builds).toMatchObject(Array(2).fill({ status: 0, stderr: "" }));
    expect(builds.filter(({ stdout }) => stdout.includes("Loaded 40614 records."))).toHaveLength(1);
    expect(await build(), "a build after a change").toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test.each(["d1", "seed"])("plain wrangler dev serves the seed with STORE %s", async (store) => {
    const options = ["--port", "0", "--inspector-port", "0", "--var", `STORE:${store}`];
    const server = project.start(["node_modules/wrangler/bin/wrangler.js", "dev", ...options]);
    let output = "";
    const origin = await new Promise<string>((resolve, reject) => {
      server.stdout.on("data", (chunk) => {
        output += chunk;
        const [, shown] = /Ready on (http:\S+)\s/.exec(output) ?? [];
        if (shown) resolve(shown);
      });
      server.on("close", () => reject(new Error(`wrangler dev ended:\n${output}`)));
    });
    expect(await (await fetch(`${origin}/api/tf1/records/`)).json()).toMatchObject({ count: 40_614 });
    const ended = once(server, "close");
    server.kill("SIGINT");
    await ended;
  });

  test("a wrong line in a file of the seed is named", async () => {
    const file = join(project.folder, "data/seed/2019-05-17.csv");
    await writeFile(file, (await readFile(file, "utf8")).replace(/\n\d+,/, "\nx,"));
    expect(await build()).toEqual({
      status: 1,
      stdout: "",
      stderr: `${file}:2: id "x" is not a whole number\nThe seed was not built.\n`,
    });
  });
});
