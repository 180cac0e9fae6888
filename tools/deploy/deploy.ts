import type { Unstable_RawConfig as RawConfig } from "wrangler";
import { requireSubdomain } from "./account.ts";
import { writeConfigFile } from "./config-file.ts";
import type { Dependencies } from "./dependencies.ts";
import { listChanges, readCommitOptions } from "./git.ts";
import { findOrCreateResource, RESOURCES } from "./resources.ts";
import { waitForVersion } from "./served-version.ts";
import { createSteps } from "./steps.ts";
import type { Target } from "./target.ts";
import { upload } from "./upload.ts";

/** The scripts of `npm run check`, except the tests: these take minutes in CI. */
const CHECKS = ["format", "lint", "types"];

/** The scripts that test a deployment, with their arguments. To check all pages would take minutes. */
const TESTS = [["test:live"], ["conformance", "--", "ADDRESS", "--pages", "20", "--concurrency", "4"]];

/** What to do if a step fails. */
const HINTS = {
  check:
    "Commit your changes and fix the errors above, or use --skip-checks to deploy without these checks. Nothing was deployed.",
  find: "Nothing was deployed.",
  seed: "Deploy again. The loaded records are unchanged, and the previous version of the code is still served. If a migration failed, those before it stay applied.",
  upload:
    "The records are unchanged. If wrangler failed after the upload, the new version of the code is served already: `npx wrangler deployments status` shows it.",
  wait: "The worker is deployed. A new address can take some minutes to become reachable. If that may be the reason, wait and deploy again.",
  production: "To return to the previous version, run `npx wrangler rollback`.",
  preview:
    "Production is not affected. Push a fix, or remove the preview with `npm run preview -- --delete`.",
};

export interface DeployOptions {
  /** Allow uncommitted changes, and do not check format, lint and types. */
  skipChecks?: boolean;
  /** Where the database is created if it does not exist: a region of D1. */
  location?: string;
  /** The public address of production; by default `PUBLIC_ORIGIN`, or else the address that wrangler reports. */
  url?: string;
}

/**
 * Deploys to production or to a preview, and tests what is deployed. Each step starts from what already exists, so a
 * deployment that failed or was interrupted can be run again.
 * @param configuration wrangler.toml
 * @throws an error with a hint if a step fails
 */
export async function deploy(
  configuration: RawConfig,
  target: Target,
  { skipChecks = false, location, url }: DeployOptions,
  dependencies: Dependencies,
): Promise<void> {
  const { project, print, sleep } = dependencies;
  const { store, preview } = target;
  const commitOptions = await readCommitOptions(project);
  const step = createSteps(skipChecks ? 5 : 6, print);
  if (!skipChecks) await step("check the code", HINTS.check, () => checkCode(dependencies));
  const config = await step(`find or create the ${RESOURCES[store].kind}`, HINTS.find, async () => {
    // Of both commands of wrangler, only `deploy` asks for a subdomain.
    const asks = preview === undefined && dependencies.isTerminal;
    if (configuration.workers_dev && !asks) await requireSubdomain(dependencies.wrangler);
    const id = await findOrCreateResource(target, location, dependencies);
    return writeConfigFile(configuration, target, id, project);
  });
  await step("load the seed if the store is empty", HINTS.seed, () =>
    dependencies.loadSeed({ store, remote: true, config }),
  );
  const undo = HINTS[preview === undefined ? "production" : "preview"];
  const { address, testAddress, version } = await step("deploy the worker", HINTS.upload, () =>
    upload(target, config, commitOptions, url, dependencies),
  );
  await step("wait for the new version", `${HINTS.wait} ${undo}`, () =>
    waitForVersion(testAddress, version, sleep),
  );
  await step("test the deployment", `The worker is deployed. ${undo}`, () =>
    testDeployment(testAddress, dependencies),
  );
  print(`Deployed to ${address}`);
}

async function checkCode({ project, run }: Dependencies): Promise<void> {
  const changes = await listChanges(project);
  if (changes !== "") throw new Error(`There are uncommitted changes:\n${changes}`);
  for (const script of CHECKS) await run("npm", ["run", script]);
}

/** @throws if one of the scripts fails; all are run */
async function testDeployment(address: string, { run }: Dependencies): Promise<void> {
  const failures: string[] = [];
  for (const script of TESTS) {
    const args = script.map((word) => word.replace("ADDRESS", address));
    await run("npm", ["run", ...args], { BASE_URL: address }).catch(({ message }) => failures.push(message));
  }
  if (failures.length > 0) throw new Error(failures.join("\n"));
}
