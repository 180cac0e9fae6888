import { execFile, execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type * as Package from "../../../tools/package/index.d.ts";
import { createFolder } from "../../temporary-folder.ts";

/** The folder that `npm run package` writes. */
export const PACKAGE_FOLDER = resolve("dist/package");

/** Builds the package once for all tests. */
export default function setup(): void {
  execFileSync(process.execPath, ["tools/package/build.ts"]);
}

/** Imports what the package exports. */
export function importPackage(): Promise<typeof Package> {
  return import(`${PACKAGE_FOLDER}/index.js`);
}

/** Packs the package and installs it into an empty folder, without the network. */
export async function installPackage(): Promise<{ folder: string; tarball: string }> {
  const run = promisify(execFile);
  const folder = join(createFolder(), "client");
  await mkdir(folder);
  const { stdout } = await run("npm", ["pack", PACKAGE_FOLDER, "--json"], { cwd: join(folder, "..") });
  const [{ filename }] = Object.values<{ filename: string }>(JSON.parse(stdout)) as [{ filename: string }];
  const tarball = join(folder, "..", filename);
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await run("npm", ["install", "--offline", tarball], { cwd: folder });
  return { folder, tarball };
}
