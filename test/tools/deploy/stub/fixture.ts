import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test as plainTest } from "vitest";
import { CSV_HEADER, csvLine } from "../../../../data/formats/csv.ts";
import type { Dependencies } from "../../../../tools/deploy/deploy.ts";
import { makeRecords } from "../../../records/sample.ts";
import { createFolder } from "../../../temporary-folder.ts";
import { openPlatform, type Platform } from "./platform.ts";

/** A git repository with one commit, and an empty stub platform to deploy it to. */
export interface Fixture {
  platform: Platform;
  dependencies: Dependencies;
  /** The folder of the repository. */
  repository: string;
  /** The folder for configuration files with ids. */
  configFolder: string;
  /** The abbreviated id of the commit. */
  commit: string;
  /** The lines that the command printed. */
  printed: string[];
  close(): Promise<void>;
}

/** @param realWrangler true if a deployment runs the real wrangler */
export async function openFixture(realWrangler = false): Promise<Fixture> {
  const folder = createFolder();
  const repository = join(folder, "repository");
  const seed = join(folder, "seed.csv");
  const configFolder = join(folder, "deployments");
  await writeFile(seed, CSV_HEADER + makeRecords(20).map(csvLine).join(""));
  const platform = await openPlatform();
  const printed: string[] = [];
  return {
    platform,
    dependencies: {
      wrangler: realWrangler ? undefined : platform.wrangler,
      npm: platform.npm,
      print: (line) => printed.push(line),
      repository,
      configFolder,
      seedFiles: [seed],
      wait: { timeout: 200, interval: 10 },
      readApi: realWrangler ? undefined : async () => [],
    },
    repository,
    configFolder,
    commit: await createRepository(repository),
    printed,
    close: platform.close,
  };
}

/** A test with its own fixture. A test can use the whole fixture or only parts of it. */
export const test = plainTest
  .extend("fixture", async ({ onTestFinished }) => {
    const fixture = await openFixture();
    onTestFinished(() => fixture.close());
    return fixture;
  })
  .extend("platform", ({ fixture }) => fixture.platform)
  .extend("dependencies", ({ fixture }) => fixture.dependencies)
  .extend("printed", ({ fixture }) => fixture.printed);

/** @returns the abbreviated id of the commit */
async function createRepository(folder: string): Promise<string> {
  const author = ["-c", "user.name=test", "-c", "user.email=test@example.org"];
  const git = (...args: string[]) =>
    execFileSync("git", [...author, ...args], { cwd: folder, encoding: "utf8" });
  execFileSync("git", ["init", "--quiet", "--initial-branch", "feature/login", folder]);
  git("remote", "add", "origin", "https://github.com/owner/counts");
  await writeFile(join(folder, "file"), "");
  git("add", ".");
  git("commit", "--quiet", "--message", "site: a login");
  return git("log", "-1", "--format=%h").trim();
}

/** A call that executes a statement. */
const executes = (beginning: string) =>
  expect.stringMatching(
    new RegExp(`^wrangler d1 execute DB --yes --json --command ${beginning}.* --remote --config FILE$`),
  );

const LIST_MIGRATIONS = executes("SELECT name FROM d1_migrations");
const READ_STATE = executes("SELECT state.load, count, .* FROM state");

/** The calls of a deployment to an empty account, in their order. */
export const firstCalls = ({ platform, commit }: Fixture, name: string, deploy: string[]) => [
  "npm run format",
  "npm run lint",
  "npm run types",
  "wrangler d1 list --json",
  `wrangler d1 create ${name}`,
  "wrangler d1 list --json",
  "wrangler kv namespace list",
  `wrangler kv namespace create ${name.includes("preview") ? name : `${name}-kv`}`,
  "wrangler kv namespace list",
  LIST_MIGRATIONS,
  "wrangler d1 migrations apply DB --remote --config FILE",
  READ_STATE,
  LIST_MIGRATIONS,
  READ_STATE,
  executes("DELETE FROM blocks"),
  "wrangler d1 execute DB --yes --file FILE --remote --config FILE",
  executes("DELETE FROM blocks"),
  ...deploy.slice(0, -1),
  `${deploy.at(-1)} --tag ${commit} --message site: a login`,
  `npm run test:live BASE_URL=${platform.account().origin}`,
  `npm run conformance -- ${platform.account().origin} --pages 20 --concurrency 4`,
];
