import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { CSV_HEADER, csvLine } from "../../data/formats/csv.ts";
import { makeRecords } from "../records/sample.ts";
import { runData } from "../run-command.ts";
import { serve } from "../serve.ts";
import { createFolder } from "../temporary-folder.ts";

/** Writes a file with 20 records. */
async function writeRecords(file: string): Promise<void> {
  await writeFile(file, CSV_HEADER + makeRecords(20).map(csvLine).join(""));
}

test("npm start serves what was loaded before, and ends with npm", async () => {
  const folder = createFolder();
  const file = join(folder, "records.csv");
  await writeRecords(file);
  await runData(["load", file, "--persist-to", folder]);
  const { origin, terminate } = await serve(folder);
  const page = await (await fetch(`${origin}/api/tf1/records/`)).json();
  expect(page).toMatchObject({ count: 20 });
  await terminate();
  await expect(fetch(origin), "by nobody").rejects.toThrow("fetch failed");
});

test.each([
  ["STORE:sql", 'STORE is "sql"; it must be "d1", "kv" or "seed"'],
  ["STORE:kv", 'STORE is "kv", but wrangler.toml binds no KV. Uncomment [[kv_namespaces]] in wrangler.toml.'],
  ["RATE_LIMIT:60", 'RATE_LIMIT is "60", but [[ratelimits]] in wrangler.toml counts in periods of 10 s'],
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
