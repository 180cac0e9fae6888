import { requireValidSettings } from "../check-settings.ts";
import { createProgram, runProgram } from "../command-line/program.ts";
import { useProxy } from "../command-line/requests.ts";
import { readConfiguration, SEED_STORE } from "../data/stores/configuration.ts";
import {
  formatRollbacks,
  listServedVersions,
  readDeployedStore,
  type ServedVersion,
} from "../deployed-worker.ts";
import { prepareProductionStore } from "./production-store.ts";
import { createSteps, printDetail, ReplacedError } from "./steps.ts";
import { findAddress, getCommitOptions, testDeployment, upload, waitForVersion } from "./version.ts";

// Hints for failed steps: whether the worker was deployed, and how to continue.
const NOT_DEPLOYED = "The worker was not deployed. To continue, run `npm run deploy` again.";
const UPLOADING = "The worker may have been deployed. To continue, run `npm run deploy` again.";
const DEPLOYED = "The worker was deployed. To try again, run `npm run deploy`.";

/**
 * Deploys to production. Each step reuses the results of earlier attempts, so a failed deployment can be repeated.
 * @param options.changeStore Deploys even if the deployed worker serves a different store
 */
async function deploy({ changeStore = false }: { changeStore?: boolean }): Promise<void> {
  const configuration = await readConfiguration();
  const store = requireValidSettings(configuration);
  const step = createSteps(5);
  const before = await step("find the deployed version", "Nothing was created or deployed.", async () => {
    const versions = await listServedVersions();
    if (!changeStore) await requireSameStore(store, versions);
    return versions;
  });
  await step("prepare the store", NOT_DEPLOYED, async () => {
    if (store === SEED_STORE) printDetail("the seed is part of the deployment");
    else await prepareProductionStore(store, configuration, before.length === 0);
  });
  const rollbacks = formatRollbacks(before);
  const report = await step("deploy the worker", UPLOADING + rollbacks, () =>
    upload(["deploy", ...getCommitOptions()]),
  );
  const address = String(configuration.vars?.PUBLIC_ORIGIN || "") || findAddress(report.targets);
  if (address === undefined)
    throw new Error(
      "The worker was deployed, but not tested, because wrangler reported no address. Set PUBLIC_ORIGIN in wrangler.toml.",
    );
  const version = String(report.version_id);
  const hint = DEPLOYED + rollbacks;
  await step("wait for the new version", hint, () =>
    waitForVersion(address, version, () => requireLatest(version, before)),
  );
  await step("test the deployment", hint, () =>
    testDeployment(address).catch(async (error) => {
      await requireLatest(version, before);
      throw error;
    }),
  );
  console.log(`Deployed to ${address}`);
}

/** @throws Error if the deployed worker serves a different store */
async function requireSameStore(store: string, versions: ServedVersion[]): Promise<void> {
  const served = await readDeployedStore(versions);
  if (served === undefined || served === store) return;
  throw new Error(
    `The deployed worker serves the ${served} store, but STORE in wrangler.toml is "${store}". To change the store of the worker, run \`npm run deploy -- --change-store\`.`,
  );
}

/** @throws ReplacedError if a later deployment is in production. If wrangler fails, nothing is thrown. */
async function requireLatest(version: string, before: ServedVersion[]): Promise<void> {
  const [latest] = await listServedVersions().catch(() => []);
  if (latest === undefined || [version, ...before.map(({ id }) => id)].includes(latest.id)) return;
  throw new ReplacedError(
    `A later deployment has replaced this one: production serves version ${latest.id} instead of ${version}.`,
  );
}

/**
 * Deploys a preview, and prints its address last.
 * @param name The name of the preview. By default, wrangler uses the name of the branch.
 */
async function deployPreview(name: string | undefined): Promise<void> {
  const { previews = {} } = await readConfiguration();
  requireValidSettings(previews);
  const step = createSteps(3);
  const options = name === undefined ? [] : ["--name", name];
  const report = await step("deploy the preview", "Production is not affected.", () =>
    upload(["preview", ...options]),
  );
  const address = report.preview_urls?.[0];
  if (address === undefined)
    throw new Error(
      "The preview was deployed, but has no address. Turn on the preview URLs of the worker in the dashboard.",
    );
  const remove = ["npx wrangler preview delete", ...options].join(" ");
  const hint = `The preview was deployed. Run the command again, or remove the preview with \`${remove}\`.`;
  // Prefers the address that serves only the new deployment.
  const tested = report.deployment_urls?.[0] ?? address;
  await step("wait for the preview", hint, () => waitForVersion(tested, undefined));
  await step("test the preview", hint, () => testDeployment(tested));
  console.log(address);
}

const program = createProgram("npm run").hook("preAction", useProxy);
program
  .command("deploy")
  .description("deploy to production: prepare the store, deploy the worker, wait for it and test it")
  .option("--change-store", "deploy even if the deployed worker serves a different store")
  .action(deploy);
program
  .command("preview")
  .description("deploy a preview of the branch, wait for it and test it")
  .option("--name <name>", "name of the preview (default: the name of the branch)")
  .action(({ name }) => deployPreview(name));
await runProgram(program);
