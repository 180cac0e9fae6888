import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as plainTest } from "vitest";
import { CSV_HEADER, csvLine } from "../../../../data/formats/csv.ts";
import type { Surroundings } from "../../../../tools/deploy/release.ts";
import { makeRecords } from "../../../records/sample.ts";
import { type Platform, startPlatform } from "./platform.ts";

/** A deployment without an account: of a repository with one commit, to a platform that has nothing. */
export interface Rehearsal {
  platform: Platform;
  surroundings: Surroundings;
  /** The repository's folder. */
  repository: string;
  /** Where files with ids are written. */
  deployments: string;
  /** The commit, abbreviated. */
  commit: string;
  /** What was told. */
  said: string[];
  close(): Promise<void>;
}

export async function startRehearsal(): Promise<Rehearsal> {
  const folder = await mkdtemp(join(tmpdir(), "deploy-test-"));
  const repository = join(folder, "repository");
  const seed = join(folder, "seed.csv");
  const deployments = join(folder, "deployments");
  await writeFile(seed, CSV_HEADER + makeRecords(20).map(csvLine).join(""));
  const platform = await startPlatform(join(folder, "platform"));
  const said: string[] = [];
  return {
    platform,
    surroundings: {
      wrangler: platform.wrangler,
      npm: platform.npm,
      say: (line) => said.push(line),
      folder: repository,
      deployments,
      seed: [seed],
      waiting: { timeout: 200, interval: 10 },
    },
    repository,
    deployments,
    commit: await makeRepository(repository),
    said,
    async close() {
      platform.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A test that is given a rehearsal of its own, or of that only the platform or the surroundings. */
export const test = plainTest
  .extend("rehearsal", async ({ onTestFinished }) => {
    const rehearsal = await startRehearsal();
    onTestFinished(() => rehearsal.close());
    return rehearsal;
  })
  .extend("platform", ({ rehearsal }) => rehearsal.platform)
  .extend("surroundings", ({ rehearsal }) => rehearsal.surroundings);

/** @returns the commit, abbreviated */
async function makeRepository(folder: string): Promise<string> {
  const author = ["-c", "user.name=test", "-c", "user.email=test@example.org"];
  const git = (...args: string[]) =>
    execFileSync("git", [...author, ...args], { cwd: folder, encoding: "utf8" });
  execFileSync("git", ["init", "--quiet", "--initial-branch", "feature/login", folder]);
  await writeFile(join(folder, "file"), "");
  git("add", ".");
  git("commit", "--quiet", "--message", "site: a login");
  return git("log", "-1", "--format=%h").trim();
}

const READ_VERSION =
  "wrangler d1 execute DB --json --command SELECT version, (SELECT json_group_array(name) FROM d1_migrations) AS applied FROM state --remote --config FILE";

/** What a deployment into an empty account calls, in this order. */
export const firstCalls = ({ platform, commit }: Rehearsal, own: string, deploy: string) => [
  "npm run format",
  "npm run lint",
  "npm run types",
  "wrangler d1 list --json",
  `wrangler d1 create ${own}`,
  "wrangler d1 list --json",
  "wrangler kv namespace list",
  `wrangler kv namespace create ${own}-kv`,
  "wrangler kv namespace list",
  READ_VERSION,
  "wrangler d1 migrations apply DB --remote --config FILE",
  READ_VERSION,
  "wrangler d1 migrations apply DB --remote --config FILE",
  "wrangler d1 execute DB --yes --file FILE --remote --config FILE",
  `${deploy} --tag ${commit} --message site: a login`,
  `npm run test:live BASE_URL=${platform.account().origin}`,
  `npm run conformance -- ${platform.account().origin} --pages 20 --concurrency 4`,
];
