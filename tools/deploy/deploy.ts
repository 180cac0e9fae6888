import { spawnSync } from "node:child_process";
import type { Command } from "commander";
import { COLLECTION_PATH } from "../../src/http/links.ts";
import { HEALTH_PATH, OPENAPI_PATH, REFERENCE_PATH } from "../../src/views/site.ts";
import { createClient, useProxy } from "../command-line/client.ts";
import { print, printError } from "../command-line/print.ts";
import { createProgram, runProgram } from "../command-line/program.ts";
import { checkConformance } from "../conformance/check.ts";
import { formatCheckReport } from "../conformance/check-command.ts";
import { readConfiguration, requireStoreName, SEED_STORE } from "../data/stores/configuration.ts";
import { type DeployedVersion, NAME_OPTIONS, readDeployedVersion } from "../deployed-worker.ts";
import { describeError } from "../messages.ts";
import { PROJECT } from "../paths.ts";
import { nameConfiguration } from "../wrangler.ts";
import { prepareProductionStore } from "./production-store.ts";
import { getAddress, getPreviewAddresses, upload } from "./upload.ts";
import { waitForVersion } from "./wait-for-version.ts";

const AGAIN = "To continue, run the command again.";

/** Runs a step of a deployment. @param hint What to do if the step fails or is interrupted */
async function step<T>(title: string, hint: string, action: () => Promise<T>): Promise<T> {
  print(`> ${title}`);
  const warn = () => printError(`\nInterrupted: ${title}. ${hint}`);
  process.once("exit", warn);
  try {
    return await action();
  } catch (cause) {
    throw new Error(`Failed: ${title}.\n${describeError(cause)}\n\n${hint}`, { cause });
  } finally {
    process.off("exit", warn);
  }
}

/**
 * Deploys to production. Each step reuses the results of earlier attempts, so a failed deployment can be repeated.
 * @param options.changeStore Deploys even if the deployed worker serves a different store
 */
async function deploy({ changeStore = false }: { changeStore?: boolean }): Promise<void> {
  const configuration = await readConfiguration();
  const { STORE: store, PUBLIC_ORIGIN: origin } = configuration.vars ?? {};
  const before = await step("prepare the store", "The worker was not deployed.", async () => {
    const before = await readDeployedVersion();
    if (!changeStore) requireSameStore(store, before);
    if (store !== SEED_STORE)
      await prepareProductionStore(configuration, {
        store: requireStoreName(store),
        isFirst: before === undefined,
      });
    return before;
  });
  const hint =
    before === undefined
      ? AGAIN
      : `To go back: npx wrangler ${nameConfiguration(["rollback", before.id, ...NAME_OPTIONS]).join(" ")}`;
  const { version, address } = await step("deploy the worker", hint, async () => {
    const report = await upload(["deploy", ...getTagOptions()]);
    if (!report.version_id) throw new Error("Wrangler reported no version of the worker.");
    return { version: report.version_id, address: origin ? String(origin) : getAddress(report) };
  });
  await step("wait for the new version", hint, () => waitForVersion(address, { version }));
  await step("check the deployment", hint, () => checkDeployment(address));
  print(`Deployed to ${address}`);
}

/** Gets the option that tags a version with its commit, and with `-dirty` if there are uncommitted changes. */
function getTagOptions(): string[] {
  const args = ["describe", "--always", "--dirty", "--exclude=*"];
  const { stdout } = spawnSync("git", args, { cwd: PROJECT, encoding: "utf8" });
  return stdout ? [`--tag=${stdout.trim()}`] : [];
}

function requireSameStore(store: unknown, before: DeployedVersion | undefined): void {
  if (before?.store === undefined || before.store === store) return;
  throw new Error(
    `The deployed worker serves the ${before.store} store, but STORE in wrangler.toml is "${store}". To change the store of the worker, run \`npm run deploy -- --change-store\`.`,
  );
}

/** Deploys a preview of the branch, and prints its address last. */
async function deployPreview({ name }: { name?: string }): Promise<void> {
  const options = name === undefined ? [] : ["--name", name];
  const removal = nameConfiguration(["preview", "delete", ...options]).join(" ");
  const hint = `To remove the preview, run: npx wrangler ${removal}`;
  const report = await step("deploy the preview", AGAIN, () => upload(["preview", ...options]));
  const { branch, deployment } = getPreviewAddresses(report);
  await step("wait for the preview", hint, () => waitForVersion(deployment));
  await step("check the preview", hint, () => checkDeployment(deployment));
  print(branch);
}

/** @throws Error if a page is missing, or if the collection breaks a rule of the specification */
async function checkDeployment(address: string): Promise<void> {
  const send = createClient(1_000);
  for (const path of ["/", REFERENCE_PATH, OPENAPI_PATH, HEALTH_PATH]) {
    const { status } = await send(address + path);
    if (status !== 200) throw new Error(`GET ${address}${path} returned ${status}`);
  }
  const report = await checkConformance(address + COLLECTION_PATH, { pages: 20, writeMethods: true });
  const isConforming = report.stopped === null && report.rules.every(({ failed }) => failed === 0);
  if (!isConforming) throw new Error(formatCheckReport(report));
}

export function createDeployProgram(): Command {
  const program = createProgram("npm run").hook("preAction", useProxy);
  program
    .command("deploy")
    .description("deploy to production: prepare the store, deploy the worker, wait for it and check it")
    .option("--change-store", "deploy even if the deployed worker serves a different store")
    .action(deploy);
  program
    .command("preview")
    .description("deploy a preview of the branch, wait for it and check it")
    .option("--name <name>", "name of the preview (default: the name of the branch)")
    .action(deployPreview);
  return program;
}

if (import.meta.main) await runProgram(createDeployProgram());
