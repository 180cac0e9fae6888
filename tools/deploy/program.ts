import { exec } from "node:child_process";
import { promisify } from "node:util";
import { type Command, Option } from "commander";
import { createProgram } from "../command-line/program.ts";
import { readWranglerToml } from "./config-file.ts";
import type { Dependencies } from "./dependencies.ts";
import { type DeployOptions, deploy } from "./deploy.ts";
import { readBranch, readOrigin } from "./git.ts";
import { createPreviewName } from "./names.ts";
import { removeOtherPreviews, removePreviews } from "./removal.ts";
import { createTarget, parseAddress, requireWorkerName } from "./target.ts";

/** Creates the program with the commands `deploy` and `preview` of npm. */
export function createDeployProgram(dependencies: Dependencies): Command {
  const program = createProgram("npm run");
  addOptions(program.command("deploy"))
    .description("deploy to production: create and fill the store if needed, deploy the worker, test it")
    .option("--url <url>", "public address (default: PUBLIC_ORIGIN, or else what wrangler reports)", (text) =>
      parseAddress(text, "--url"),
    )
    .action(async (options: DeployOptions) => {
      const { project } = dependencies;
      const configuration = await readWranglerToml(project);
      const target = createTarget(configuration, await readOrigin(project));
      await deploy(configuration, target, options, dependencies);
    });
  addOptions(program.command("preview"))
    .description("deploy a branch to a preview with its own store, or remove the preview")
    .addOption(
      new Option("--branch <name>", "branch (default: the one that is checked out)").env("WORKERS_CI_BRANCH"),
    )
    .option("--delete", "remove the preview with its database and its namespace")
    .option(
      "--delete-except <command>",
      "remove the previews of all branches that this shell command does not print, one branch a line",
    )
    .action((options: PreviewOptions) => runPreview(options, dependencies));
  return program;
}

function addOptions(command: Command): Command {
  // Workers Builds builds code that is checked at GitHub.
  const isWorkersBuild = process.env.WORKERS_CI !== undefined;
  return command
    .option(
      "--skip-checks",
      "allow uncommitted changes, and do not check format, lint and types",
      isWorkersBuild,
    )
    .addOption(
      new Option("--location <region>", "region of a new database (default: near this machine)").env(
        "D1_LOCATION",
      ),
    );
}

interface PreviewOptions extends DeployOptions {
  branch?: string;
  delete?: true;
  deleteExcept?: string;
}

async function runPreview(options: PreviewOptions, dependencies: Dependencies): Promise<void> {
  const { project } = dependencies;
  const configuration = await readWranglerToml(project);
  const origin = await readOrigin(project);
  const { deleteExcept } = options;
  if (deleteExcept !== undefined) {
    const readBranches = () => readLines(deleteExcept);
    return removeOtherPreviews(configuration, origin, readBranches, dependencies);
  }
  const branch = options.branch ?? (await readBranch(project));
  const name = createPreviewName(branch, requireWorkerName(configuration));
  if (options.delete) return removePreviews(configuration, origin, async () => [name], dependencies);
  return deploy(configuration, createTarget(configuration, origin, name), options, dependencies);
}

/** @throws with what the command printed, if it fails */
async function readLines(command: string): Promise<string[]> {
  const { stdout } = await promisify(exec)(command);
  return stdout.split(/\r?\n/).filter((line) => line !== "");
}
