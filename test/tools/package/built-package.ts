import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import type * as Package from "../../../tools/package/index.d.ts";
import { type Finished, removeProgress, runProcess } from "../../support/run-command.ts";
import { createFolder } from "../../support/temporary-folder.ts";

/** The folder that `npm run package` writes. */
const PACKAGE_FOLDER = resolve("dist/package");

/** The path of the command in a folder where the package is installed. */
export const COMMAND = "node_modules/.bin/traffic-count-records";

/** The path of a certificate for localhost, which signs itself. */
export const CERT = resolve("test/tools/package/certificate/cert.pem");
/** The path of its key. */
export const KEY = resolve("test/tools/package/certificate/key.pem");

declare module "vitest" {
  interface ProvidedContext {
    /** The path of the packed package. */
    tarball: string;
  }
}

/** The name of a file that an earlier build left in the folder of the package, and in that of the static files. */
export const LEFT_OVER = "left-over.js";

/** Builds and packs the package once for all tests. */
export default function setup(project: TestProject): void {
  for (const path of [PACKAGE_FOLDER, resolve("dist/assets/assets/old")]) {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, LEFT_OVER), "");
  }
  execFileSync(process.execPath, ["tools/build-assets.ts"]);
  execFileSync(process.execPath, ["tools/package/build.ts"]);
  const folder = createFolder();
  const options = { cwd: folder, encoding: "utf8" } as const;
  const name = execFileSync("npm", ["pack", PACKAGE_FOLDER, "--silent"], options).trim();
  project.provide("tarball", join(folder, name));
}

/** Imports the built package. */
export function importPackage(): Promise<typeof Package> {
  return import(`${PACKAGE_FOLDER}/index.js`);
}

/** Unpacks the package into a new folder, where npm would install it: the package has no dependencies. */
export async function installPackage(): Promise<string> {
  const folder = join(createFolder(), "client");
  const installed = join(folder, "node_modules/traffic-count-records");
  for (const path of [installed, join(folder, "node_modules/.bin")]) await mkdir(path, { recursive: true });
  await symlink("../traffic-count-records/cli.js", join(folder, COMMAND));
  await runProcess("tar", ["-xzf", inject("tarball"), "-C", installed, "--strip-components=1"]);
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  return folder;
}

/** Runs a program in a folder to its end. */
export function runIn(cwd: string, program: string, args: string[], env = {}): Promise<Finished> {
  return runProcess(program, args, { cwd, env: { ...process.env, ...env } });
}

/**
 * Starts the command in a folder where the package is installed, and waits for the line with the URL.
 * @param runtime The program that runs the command, with its own arguments
 */
export async function startCommand(cwd: string, args: string[], runtime = [process.execPath]) {
  const [program = "", ...own] = runtime;
  const command = spawn(program, [...own, COMMAND, "--port", "0", ...args], { cwd });
  let printed = "";
  command.stderr.setEncoding("utf8").on("data", (part) => {
    printed += part;
  });
  const closed = once(command, "close");
  const lines = createInterface(command.stdout);
  const [line] = await once(lines, "line");
  /** Ends the command. Returns its exit status and its standard error. */
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    command.kill(signal);
    const [status] = await closed;
    return { status, stderr: removeProgress(printed) };
  };
  const url = String(line).split(" ").at(-1) ?? "";
  return { line: String(line), lines, url, pid: Number(command.pid), getErrors: () => printed, stop };
}

/** A TypeScript client that uses every member of a service. */
export const CLIENT = `import { createService, type PreferOptions, type Service, type TrafficRecord } from "traffic-count-records";
  const records: TrafficRecord[] = [];
  const service: Service = createService({ records, now: Date.now });
  const client: typeof fetch = service.fetch;
  const response = await client("https://counts.example/api/tf1/records/");
  const etags: (string | undefined)[] = service.requests.map(({ headers }) => headers["if-none-match"]);
  const faults: PreferOptions = { body: "slow", delay: { min: 1, max: 2 }, times: 1 };
  service.prefer = faults;
  const server = await service.listen({ port: 0 });
  await service.replace(records);
  await service.replace();
  await service.ready;
  // @ts-expect-error The only model is tf1.
  export const model: TrafficRecord["model_name"] = "tf2";
  // @ts-expect-error An option has another value.
  export const cut: PreferOptions = { body: "half" };
  // @ts-expect-error A file is a path.
  export const invalid = () => createService({ files: [1] });
  console.log(response.status, etags.length, new URL(server.url).hostname);
  await server[Symbol.asyncDispose]();`;
