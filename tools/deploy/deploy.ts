import { globSync } from "node:fs";
import { join } from "node:path";
import { useStore } from "../../data/stores/open.ts";
import { PROJECT } from "../../data/stores/wrangler.ts";
import { load } from "../data/load.ts";
import type { ReadApi } from "./account.ts";
import { type DeployTarget, readWranglerToml, writeConfigFile } from "./deploy-target.ts";
import { listChanges, readCommitOptions } from "./git.ts";
import { findOrCreateResource } from "./resources.ts";
import { type Programs, runScript } from "./run-command.ts";
import { createSteps, HINTS, type StepOutput, type Steps } from "./steps.ts";
import { type Deployed, type WaitOptions, waitForVersion } from "./worker-version.ts";

/** The scripts of `npm run check`, except the tests: these take CI minutes. */
const CHECKS = ["format", "lint", "types"];

/** The number of the newest pages to check, in addition to the middle and the last one. All pages would take minutes. */
const PAGES = "20";

export interface DeployOptions {
  /** Allow uncommitted changes, and do not check format, lint and types. */
  skipChecks?: boolean | undefined;
  /** Where the database is created if it does not exist, one of `LOCATIONS`. */
  location?: string | undefined;
}

/** What a deployment uses in addition to this project's code; tests replace it. */
export interface Dependencies extends Programs, StepOutput {
  /** Called as soon as the worker is deployed, before it is tested. */
  onDeployed?(deployed: Deployed): void;
  /** A folder in the git repository; by default this project. */
  repository?: string | undefined;
  /** The folder for configuration files with ids; by default .wrangler/deployments. */
  configFolder?: string | undefined;
  /** The files to load into an empty store; by default the seed. */
  seedFiles?: string[] | undefined;
  wait?: WaitOptions | undefined;
  /** Reads from Cloudflare's API; by default with wrangler's token. */
  readApi?: ReadApi | undefined;
}

/**
 * Uploads the code and makes it live.
 * @param config the path of the configuration file with ids
 * @param commitOptions the options of wrangler that record the commit
 */
export type Upload = (config: string, commitOptions: string[]) => Promise<Deployed>;

/**
 * Deploys to production or to a preview, and tests what is deployed. Each step starts from what already exists, so a
 * deployment that failed or was interrupted can be run again.
 * @throws an error with a hint if a step fails
 */
export async function deploy(
  target: DeployTarget,
  upload: Upload,
  { skipChecks, location }: DeployOptions,
  dependencies: Dependencies,
): Promise<Deployed> {
  const { wrangler, repository = PROJECT } = dependencies;
  const commitOptions = await readCommitOptions(repository);
  const steps = createSteps(skipChecks ? 7 : 8, dependencies);
  if (!skipChecks) await steps.run("check the code", HINTS.check, () => checkCode(repository, dependencies));
  const config = await steps.run("find or create the database and the namespace", HINTS.resources, (print) =>
    prepareResources(target, location, dependencies, print),
  );
  const choice = { store: target.store, remote: true, config, program: wrangler };
  const state = await steps.run("prepare the store", HINTS.store, () =>
    useStore(choice, ({ store }) => store.readState({ newest: true })),
  );
  await steps.run("load the seed if the store is empty", HINTS.seed, async (print) => {
    if (state.load !== "") return print(`not loaded: the store contains load ${state.load}`);
    const files = dependencies.seedFiles ?? globSync(join(PROJECT, "data/seed/*.csv")).sort();
    // Only into the empty store that was seen: someone may load records meanwhile.
    await load(files, { ...choice, expected: state });
  });
  const undo = target.preview === undefined ? HINTS.undoProduction : HINTS.undoPreview;
  const hint = target.preview === undefined ? HINTS.deploy : HINTS.undoPreview;
  const deployed = await steps.run("deploy the worker", hint, async (print) => {
    const deployed = await upload(config, commitOptions);
    print(deployed.address);
    dependencies.onDeployed?.(deployed);
    return deployed;
  });
  await testDeployment(deployed, undo, steps, dependencies);
  return deployed;
}

/** Runs the last three steps. */
async function testDeployment(
  deployed: Deployed,
  undo: string,
  steps: Steps,
  dependencies: Dependencies,
): Promise<void> {
  const { address } = deployed;
  await steps.run("wait for the new version", `${HINTS.wait} ${undo}`, async (print) =>
    print(await waitForVersion(deployed, dependencies.wait)),
  );
  await steps.run("run the HTTP tests", `${HINTS.test} ${undo}`, () =>
    runScript(dependencies, "test:live", [], { BASE_URL: address }),
  );
  await steps.run("check conformance to the specification", `${HINTS.test} ${undo}`, () =>
    runScript(dependencies, "conformance", [address, "--pages", PAGES, "--concurrency", "4"]),
  );
}

/** @throws if there are uncommitted changes, or if the formatter, the linter or the compiler finds an error */
async function checkCode(repository: string, dependencies: Dependencies): Promise<void> {
  const changes = await listChanges(repository);
  if (changes !== "") throw new Error(`There are uncommitted changes:\n${changes}`);
  for (const check of CHECKS) await runScript(dependencies, check);
}

/** @returns the path of a configuration file with the ids of the database and the namespace */
async function prepareResources(
  target: DeployTarget,
  location: string | undefined,
  dependencies: Dependencies,
  print: (line: string) => void,
): Promise<string> {
  const wanted = { ...target.database, location };
  const database = await findOrCreateResource("database", wanted, dependencies, print);
  const namespace = await findOrCreateResource("namespace", target.namespace, dependencies, print);
  return writeConfigFile(await readWranglerToml(), target, database, namespace, dependencies.configFolder);
}
