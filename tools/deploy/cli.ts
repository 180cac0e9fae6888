import { writeFileSync } from "node:fs";
import { InvalidArgumentError, Option } from "commander";
import { createProgram, runProgram } from "../command-line/program.ts";
import type { Dependencies } from "./deploy.ts";
import { originOf } from "./deploy-target.ts";
import { deletePreview, deployPreview, type PreviewOptions } from "./preview.ts";
import { deployProduction, type ProductionOptions, type RollbackOptions, rollBack } from "./production.ts";
import type { Steps } from "./steps.ts";

let steps: Steps | undefined;
const dependencies: Dependencies = {
  print: console.log,
  onStart(started) {
    steps = started;
  },
};

// Workers Builds sets WORKERS_CI and WORKERS_CI_BRANCH: it checks out a commit without a branch. The code that it builds
// is checked at GitHub.
const { WORKERS_CI } = process.env;

const SKIP_CHECKS = [
  "--skip-checks",
  "allow uncommitted changes, and do not check format, lint and types",
] as const;

const program = createProgram("npm run");

program
  .command("deploy")
  .description(
    "deploy to production: check the code, create and fill the stores if needed, deploy the worker, test it",
  )
  .option(...SKIP_CHECKS, WORKERS_CI !== undefined)
  .option(
    "--url <url>",
    "public address of the service (default: PUBLIC_ORIGIN, or else the address that wrangler reports)",
    parseOrigin,
  )
  .action(async (options: ProductionOptions) => {
    const { address, version } = await deployProduction(options, dependencies);
    console.log(`Deployed to ${address}${version === undefined ? "" : `, version ${version}`}.`);
  });

program
  .command("preview")
  .description("deploy a branch to a preview with its own stores, or remove the preview")
  .option(...SKIP_CHECKS, WORKERS_CI !== undefined)
  .addOption(
    new Option("--branch <name>", "name of the branch (default: the branch that is checked out)")
      .env("WORKERS_CI_BRANCH")
      .argParser(parseBranch),
  )
  .option("--delete", "remove the preview with its database and its namespace")
  .option("--address-file <file>", "write the preview's address to this file as soon as it is deployed")
  .action(async (options: PreviewOptions & { delete?: true; addressFile?: string }) => {
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
  });

program
  .command("rollback")
  .description("serve an earlier version of the code in production; the stores do not change")
  .argument("[version]", "id of the version (default: the previous version)")
  .option("--url <url>", "address at which to wait for the version (default: PUBLIC_ORIGIN)", parseOrigin)
  .action(async (version: string | undefined, { url }: Pick<RollbackOptions, "url">) => {
    console.log(`Version ${await rollBack({ version, url }, dependencies)} is served.`);
  });

await runProgram(program, {
  onInterrupt: () =>
    console.error(
      `\n${steps?.describeInterruption() ?? "Interrupted before the first step. Nothing was changed."}`,
    ),
});

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
