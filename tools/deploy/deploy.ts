import { readConfiguration, SEED_STORE } from "../../data/writer/configuration.ts";
import { createProgram, runProgram } from "../command-line/program.ts";
import { requireServedStore } from "../served-store.ts";
import { prepareProductionStore, readDeployedVersion } from "./production-store.ts";
import { createSteps, printDetail } from "./steps.ts";
import { findAddress, readCommitOptions, testDeployment, upload, waitForVersion } from "./version.ts";

/** What exists if a step of a deployment to production fails, and what to do next. */
const HINTS = {
  read: "Nothing was created or deployed.",
  prepare:
    "The worker was not deployed, so what was served before is still served. Correct this and run `npm run deploy` again: nothing is created or loaded twice.",
  upload:
    "The records are unchanged. If wrangler failed after the upload, the new version is served already: `npx wrangler deployments status` shows it. Run `npm run deploy` again to continue.",
  wait: "The worker was deployed. If `npx wrangler deployments status` shows another version, a later deployment has replaced it. Otherwise run `npm run deploy` again.",
};

/** Deploys to production. Each step starts from what already exists, so a deployment that failed can be run again. */
async function deploy(): Promise<void> {
  const configuration = await readConfiguration();
  const store = requireServedStore(configuration);
  const step = createSteps(5);
  const previous = await step("find what is deployed", HINTS.read, readDeployedVersion);
  await step("prepare the store", HINTS.prepare, async () => {
    if (store === SEED_STORE) printDetail("the seed is a part of the deployment");
    else await prepareProductionStore(store, configuration, previous === undefined);
  });
  const { address, version } = await step("deploy the worker", HINTS.upload, async () => {
    const report = await upload(["deploy", ...readCommitOptions()]);
    const given = String(configuration.vars?.PUBLIC_ORIGIN || "");
    return { address: given || findAddress(report.targets), version: report.version_id };
  });
  if (address === undefined)
    throw new Error(
      "The worker is deployed, but not tested, because wrangler reported no address. Set PUBLIC_ORIGIN in wrangler.toml.",
    );
  await step("wait for the new version", HINTS.wait, () => waitForVersion(address, version));
  await step("test the deployment", describeReturn(previous), () => testDeployment(address));
  console.log(`Deployed to ${address}`);
}

/** What to do if the deployed version fails a test. Before the first deployment there was no version to return to. */
function describeReturn(previous: string | undefined): string {
  if (previous === undefined) return "The worker is deployed. Fix the error and deploy again.";
  return `The worker is deployed. To return to the version before, run \`npx wrangler rollback ${previous}\`.`;
}

const NOT_AFFECTED = "Production is not affected.";

const UNDO = `${NOT_AFFECTED} Fix the error and run the command again, or remove the preview with \`npx wrangler preview delete\`.`;

/**
 * Deploys a preview. Its address is printed last.
 * @param name by default that of the branch, which wrangler finds
 */
async function deployPreview(name: string | undefined): Promise<void> {
  const { previews = {} } = await readConfiguration();
  requireServedStore(previews);
  const step = createSteps(3);
  const command = ["preview", ...(name === undefined ? [] : ["--name", name])];
  const report = await step("deploy the preview", NOT_AFFECTED, () => upload(command));
  const address = report.preview_urls?.[0];
  if (address === undefined)
    throw new Error(
      "The preview has no address. Set preview_urls = true in wrangler.toml, and run the command again.",
    );
  // This address serves only the new deployment.
  const tested = report.deployment_urls?.[0] ?? address;
  await step("wait for the preview", UNDO, () => waitForVersion(tested, undefined));
  await step("test the preview", UNDO, () => testDeployment(tested));
  console.log(address);
}

const program = createProgram("npm run");
program
  .command("deploy")
  .description("deploy to production: prepare the store, deploy the worker, wait for it and test it")
  .action(deploy);
program
  .command("preview")
  .description("deploy a preview of the branch, wait for it and test it")
  .option("--name <name>", "name of the preview (default: that of the branch)")
  .action(({ name }) => deployPreview(name));
await runProgram(program);
