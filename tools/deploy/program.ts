import { exec } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { promisify } from "node:util";
import { type Command, InvalidArgumentError, Option } from "commander";
import { createProgram } from "../command-line/program.ts";
import type { Dependencies } from "./deploy.ts";
import { originOf } from "./deploy-target.ts";
import { deleteOtherPreviews, deletePreview, deployPreview, type PreviewOptions } from "./preview.ts";
import { deployProduction, type ProductionOptions, type RollbackOptions, rollBack } from "./production.ts";
import { LOCATIONS } from "./resources.ts";
import { openTemporaryAccount } from "./temporary-account.ts";

/**
 * @param dependencies with the programs to run
 * @returns the program with the commands `deploy`, `preview` and `rollback` of npm
 */
export function createDeployProgram(dependencies: Dependencies): Command {
  const program = createProgram("npm run");
  for (const add of [addDeploy, addPreview, addRollback]) add(program, dependencies);
  return program;
}

const SKIP_CHECKS = [
  "--skip-checks",
  "allow uncommitted changes, and do not check format, lint and types",
] as const;

/**
 * Workers Builds sets WORKERS_CI and WORKERS_CI_BRANCH: it checks out a commit without a branch. The code that it builds
 * is checked at GitHub.
 */
const isWorkersBuild = () => process.env.WORKERS_CI !== undefined;

const createLocationOption = () =>
  new Option(
    "--location <region>",
    `region of a new database: ${LOCATIONS.join(", ")} (default: near this machine)`,
  )
    .env("D1_LOCATION")
    .argParser(parseLocation);

function addDeploy(program: Command, dependencies: Dependencies): void {
  program
    .command("deploy")
    .description(
      "deploy to production: check the code, create and fill the stores if needed, deploy the worker, test it",
    )
    .option(...SKIP_CHECKS, isWorkersBuild())
    .addOption(createLocationOption())
    .option(
      "--url <url>",
      "public address of the service (default: PUBLIC_ORIGIN, or else the address that wrangler reports)",
      parseOrigin,
    )
    .option(
      "--temporary",
      "deploy to a new account that Cloudflare deletes after an hour unless you claim it; you accept Cloudflare's terms",
    )
    .action(async (options: ProductionOptions & { temporary?: true }) => {
      if (options.temporary) printClaim(await openTemporaryAccount(dependencies));
      const { address, version } = await deployProduction(options, dependencies);
      console.log(`Deployed to ${address}${version === undefined ? "" : `, version ${version}`}.`);
    });
}

interface PreviewCommandOptions extends PreviewOptions {
  delete?: true;
  deleteExcept?: string;
  addressFile?: string;
}

function addPreview(program: Command, dependencies: Dependencies): void {
  program
    .command("preview")
    .description("deploy a branch to a preview with its own stores, or remove the preview")
    .option(...SKIP_CHECKS, isWorkersBuild())
    .addOption(createLocationOption())
    .addOption(
      new Option("--branch <name>", "name of the branch (default: the branch that is checked out)")
        .env("WORKERS_CI_BRANCH")
        .argParser(parseBranch),
    )
    .option("--delete", "remove the preview with its database and its namespace")
    .option(
      "--delete-except <command>",
      "remove the previews of all branches that this shell command does not print, one branch a line",
    )
    .option("--address-file <file>", "write the preview's address to this file as soon as it is deployed")
    .action((options: PreviewCommandOptions) => runPreview(options, dependencies));
}

async function runPreview(options: PreviewCommandOptions, dependencies: Dependencies): Promise<void> {
  const { deleteExcept } = options;
  if (deleteExcept !== undefined) return deleteOtherPreviews(() => readLines(deleteExcept), dependencies);
  if (options.delete) {
    await deletePreview(options, dependencies);
    console.log("The preview is removed.");
    return;
  }
  const { addressFile } = options;
  const { address } = await deployPreview(options, {
    ...dependencies,
    onDeployed({ address }) {
      if (addressFile !== undefined) writeFileSync(addressFile, `${address}\n`);
    },
  });
  console.log(`The preview is at ${address}`);
}

/** @throws with what the command printed, if it fails */
async function readLines(command: string): Promise<string[]> {
  const { stdout } = await promisify(exec)(command);
  return stdout.split(/\r?\n/).filter((line) => line !== "");
}

function addRollback(program: Command, dependencies: Dependencies): void {
  program
    .command("rollback")
    .description("serve an earlier version of the code in production; the stores do not change")
    .argument("[version]", "id of the version (default: the version before the current one)")
    .option("--url <url>", "address at which to wait for the version (default: PUBLIC_ORIGIN)", parseOrigin)
    .option("--yes", "do not ask before the rollback")
    .action(async (version: string | undefined, { url, yes }: { url?: string; yes?: true }) => {
      const options: RollbackOptions = yes ? { version, url } : { version, url, confirm };
      const served = await rollBack(options, dependencies);
      console.log(served === undefined ? "Nothing was changed." : `Version ${served} is served.`);
    });
}

/**
 * Parses a region of D1. A workflow sets an empty one if the repository does not set the variable.
 * @throws InvalidArgumentError if D1 does not have the region
 */
function parseLocation(text: string): string | undefined {
  if (text === "" || LOCATIONS.includes(text)) return text || undefined;
  throw new InvalidArgumentError(`It must be one of ${LOCATIONS.join(", ")}.`);
}

function printClaim(address: string): void {
  console.log(
    `You accepted Cloudflare's terms, https://www.cloudflare.com/terms/. Cloudflare deletes this account after an hour. To keep it, open
${address}
This address is a secret: anyone who has it can take over the account.`,
  );
}

/** @throws if the standard input is not a terminal */
async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error(`${question} Nobody can be asked. Use --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} [y/N] `).finally(() => terminal.close());
  return /^y(es)?$/i.test(answer.trim());
}

/** @throws InvalidArgumentError if the name is empty, for example because a shell variable is not set */
function parseBranch(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must be the name of a branch.");
  return text;
}

/** @throws InvalidArgumentError if the text is not a URL, or one with a path */
function parseOrigin(text: string): string {
  const origin = originOf(text);
  if (origin !== undefined) return origin;
  throw new InvalidArgumentError("It must be a URL without a path, for example https://counts.example.");
}
