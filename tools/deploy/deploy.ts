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
const NOT_DEPLOYED = "Nothing was deployed: clients get what they got before.";
const UNKNOWN = "To see which version is live, run: npx wrangler deployments list";

/** Says what is live after a failure, and what to do. A function asks Cloudflare, for which an interrupted process has no time. */
type Hint = string | (() => Promise<string>);

/** Runs a step of a deployment. */
async function step<T>(title: string, hint: Hint, action: () => Promise<T>): Promise<T> {
  print(`> ${title}`);
  const warn = () => printError(`\nInterrupted: ${title}. ${typeof hint === "string" ? hint : UNKNOWN}`);
  process.once("exit", warn);
  try {
    return await action();
  } catch (cause) {
    const found = typeof hint === "string" ? hint : await hint();
    throw new Error(`Failed: ${title}.\n${describeError(cause)}\n\n${found}`, { cause });
  } finally {
    process.off("exit", warn);
  }
}

/**
 * Deploys to production. Each step reuses the results of earlier attempts, so a failed deployment can be repeated. The database is migrated
 * first, so the old version must work with the new tables.
 * @param options.changeStore Deploys even if the deployed worker serves a different store
 */
async function deploy({ changeStore = false }: { changeStore?: boolean }): Promise<void> {
  const configuration = await readConfiguration();
  const { vars: { STORE: store, PUBLIC_ORIGIN: origin } = {}, preview_urls } = configuration;
  const before = await step("prepare the store", NOT_DEPLOYED, async () => {
    const before = await readDeployedVersion();
    if (!changeStore) requireSameStore(store, before);
    if (store !== SEED_STORE)
      await prepareProductionStore(configuration, {
        store: requireStoreName(store),
        isFirst: before === undefined,
      });
    return before;
  });
  // Until this deployment, the old setting applies, and wrangler may report an address, which can need a login.
  if (preview_urls === false)
    print("  preview_urls is false, so the new version is checked when it is live.");
  // Wrangler uploads no version of a worker that does not exist. Nobody uses it yet, either.
  else if (before !== undefined) await checkVersion();
  const findLive = () => findLiveVersion(before);
  const { version, address } = await step("deploy the worker", findLive, async () => {
    const report = await upload(["deploy", ...getTagOptions()]);
    if (!report.version_id) throw new Error("Wrangler reported no version of the worker.");
    const address = URL.parse(String(origin))?.origin ?? getAddress(report);
    return { version: report.version_id, address };
  });
  await step("wait for the deployment", findLive, () => waitForVersion(address, { version }));
  await step("check the deployment", findLive, () => checkDeployment(address));
  print(`Deployed to ${address}`);
}

/**
 * Uploads the code as a version without traffic, and checks it at its own address, with the deployed store. The deployment uploads the code
 * again, because `wrangler versions deploy` neither sets domains nor reports an address.
 */
async function checkVersion(): Promise<void> {
  const { preview_url: address, version_id: version } = await step(
    "upload the new version",
    NOT_DEPLOYED,
    // Without PUBLIC_ORIGIN, whose links would lead to the old version.
    () => upload(["versions", "upload", "--var", "PUBLIC_ORIGIN:", ...getTagOptions()]),
  );
  if (!address || !version)
    return print("  The version has no address of its own, so it is checked when it is live.");
  await step("wait for the new version", NOT_DEPLOYED, () => waitForVersion(address, { version }));
  await step("check the new version", NOT_DEPLOYED, () => checkDeployment(address));
}

/** Finds out after a failure which version is live. @param before The one that was live before */
async function findLiveVersion(before: DeployedVersion | undefined): Promise<string> {
  try {
    const live = await readDeployedVersion();
    if (live?.id === before?.id) return `${NOT_DEPLOYED} ${AGAIN}`;
    if (before === undefined) return `The live version is ${live?.id}. ${AGAIN}`;
    const rollback = nameConfiguration(["rollback", before.id, ...NAME_OPTIONS]).join(" ");
    return `The live version is ${live?.id ?? "gone"}. To go back: npx wrangler ${rollback}`;
  } catch {
    return UNKNOWN;
  }
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
    .description("prepare the store, deploy to production, and check the new version")
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
