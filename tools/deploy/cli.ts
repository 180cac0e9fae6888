import { writeFileSync } from "node:fs";
import { Option } from "commander";
import { createProgram, runProgram } from "../command-line/program.ts";
import { branchName, serviceAddress } from "./arguments.ts";
import type { Journey } from "./journey.ts";
import { deletePreview, deployPreview, type PreviewOptions } from "./preview.ts";
import { deployProduction, type ProductionOptions } from "./production.ts";
import type { Surroundings } from "./release.ts";
import { rollBack } from "./rollback.ts";

let journey: Journey | undefined;
const surroundings: Surroundings = {
  say: console.log,
  onStart(started) {
    journey = started;
  },
};

// The platform's own builds say that they are such, and of which branch, since they check none out. What they build is
// checked at GitHub.
const { WORKERS_CI } = process.env;

const program = createProgram("npm run");

const SKIP_CHECKS = ["--skip-checks", "deploy without looking at the tree and the code"] as const;

program
  .command("deploy")
  .description(
    "deploy to production: check, find or make the stores, migrate, load the seed once, deploy, test",
  )
  .option(...SKIP_CHECKS, WORKERS_CI !== undefined)
  .option(
    "--url <url>",
    "where clients reach the service, if neither PUBLIC_ORIGIN nor wrangler says",
    serviceAddress,
  )
  .action(async (options: ProductionOptions) => {
    const { address, version } = await deployProduction(options, surroundings);
    console.log(`Deployed to ${address}${version === undefined ? "" : `, version ${version}`}.`);
  });

program
  .command("preview")
  .description("deploy a branch to a preview with stores of its own, or remove that")
  .option(...SKIP_CHECKS, WORKERS_CI !== undefined)
  .addOption(
    new Option("--branch <name>", "the branch, if not the one that is checked out")
      .env("WORKERS_CI_BRANCH")
      .argParser(branchName),
  )
  .option("--delete", "remove the preview, with its database and its namespace")
  .option("--address-file <file>", "write the preview's address to this file, once it is deployed")
  .action(async (options: PreviewOptions & { delete?: true; addressFile?: string }) => {
    if (options.delete) {
      await deletePreview(options, surroundings);
      console.log("The preview is removed.");
      return;
    }
    const { addressFile } = options;
    const { address } = await deployPreview(options, {
      ...surroundings,
      onPublish({ address }) {
        if (addressFile !== undefined) writeFileSync(addressFile, `${address}\n`);
      },
    });
    console.log(`The preview is at ${address}`);
  });

program
  .command("rollback")
  .description("let production serve with an earlier version of the code; what is loaded stays")
  .argument("[version]", "its id (default: the version before)")
  .option("--url <url>", "where to wait for it, if PUBLIC_ORIGIN does not say", serviceAddress)
  .action(async (version: string | undefined, { url }: { url?: string }) => {
    console.log(`Version ${await rollBack({ version, url }, surroundings)} serves.`);
  });

await runProgram(program, {
  onInterrupt: () => console.error(`\n${journey?.describe() ?? "Nothing is done."}`),
});
