import { readConfiguration, SEED_STORE } from "../../data/writer/configuration.ts";
import { createProgram, runProgram } from "../command-line/program.ts";
import { requireServedStore } from "../served-store.ts";
import { NAME_OPTIONS, prepareProductionStore, readDeployedVersion } from "./production-store.ts";
import { createSteps, printDetail } from "./steps.ts";
import { findAddress, readCommitOptions, testDeployment, upload, waitForVersion } from "./version.ts";

/** What exists if a step of a deployment to production fails, and how to go on. */
const HINTS = {
  read: "Nothing was created or deployed.",
  prepare: "The worker was not deployed; to continue, run `npm run deploy` again.",
  upload: `\`${["npx wrangler deployments status", ...NAME_OPTIONS].join(" ")}\` shows what is served; to continue, run \`npm run deploy\` again.`,
  wait: "The worker was deployed; to continue, run `npm run deploy` again, unless PUBLIC_ORIGIN leads elsewhere or a later deployment has replaced it.",
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
  const report = await step("deploy the worker", HINTS.upload, () =>
    upload(["deploy", ...readCommitOptions()]),
  );
  const address = String(configuration.vars?.PUBLIC_ORIGIN || "") || findAddress(report.targets);
  if (address === undefined)
    throw new Error(
      "The worker was deployed, but not tested, because wrangler reported no address. Set PUBLIC_ORIGIN in wrangler.toml.",
    );
  await step("wait for the new version", HINTS.wait, () => waitForVersion(address, report.version_id));
  await step("test the deployment", describeReturn(previous), () => testDeployment(address));
  console.log(`Deployed to ${address}`);
}

/** What to do if the deployed version fails a test. Before the first deployment there was no version to return to. */
function describeReturn(previous: string | undefined): string {
  if (previous === undefined) return "The worker was deployed; fix the error and run `npm run deploy` again.";
  const command = ["npx wrangler rollback", previous, ...NAME_OPTIONS].join(" ");
  return `The worker was deployed; to return to the version before, run \`${command}\`.`;
}

const NOT_AFFECTED = "Production is not affected.";

/**
 * Deploys a preview. Its address is printed last.
 * @param name by default that of the branch, which wrangler finds
 */
async function deployPreview(name: string | undefined): Promise<void> {
  const { previews = {} } = await readConfiguration();
  requireServedStore(previews);
  const step = createSteps(3);
  const options = name === undefined ? [] : ["--name", name];
  const report = await step("deploy the preview", NOT_AFFECTED, () => upload(["preview", ...options]));
  const address = report.preview_urls?.[0];
  if (address === undefined)
    throw new Error(
      "The preview was deployed, but has no address; turn on the preview URLs of the worker in the dashboard.",
    );
  const remove = ["npx wrangler preview delete", ...options].join(" ");
  const hint = `The preview was deployed; run the command again, or remove the preview with \`${remove}\`.`;
  // This address serves only the new deployment.
  const tested = report.deployment_urls?.[0] ?? address;
  await step("wait for the preview", hint, () => waitForVersion(tested, undefined));
  await step("test the preview", hint, () => testDeployment(tested));
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
