import { z } from "zod";
import { runWrangler } from "../../data/stores/wrangler.ts";
import { type Dependencies, type DeployOptions, deploy, type Upload } from "./deploy.ts";
import { createTarget, readWranglerToml, requireSettings } from "./deploy-target.ts";
import { runWranglerForEntry } from "./run-command.ts";
import { explainFailedUpload, findEarlierVersion, readCommits, readHistory } from "./served-version.ts";
import { createSteps, HINTS } from "./steps.ts";
import { type Deployed, waitForVersion } from "./worker-version.ts";

const DeployEntry = z.object({
  type: z.literal("deploy"),
  version_id: z.string().nullish(),
  targets: z.array(z.string()).nullish(),
});

const AFTER_INTERRUPTED_ROLLBACK =
  "Run `npx wrangler deployments status` to see which version is served before you run the command again.";

export interface ProductionOptions extends DeployOptions {
  /** The public address; by default `PUBLIC_ORIGIN`, or else the address that wrangler reports. */
  url?: string | undefined;
}

export interface RollbackOptions {
  /** The id of the version to serve; by default the version before the current one. */
  version?: string | undefined;
  /** The public address; by default `PUBLIC_ORIGIN`. Without an address the command does not wait. */
  url?: string | undefined;
  /**
   * Asks whether to go on.
   * @throws if nobody can be asked
   */
  confirm?(question: string): Promise<boolean>;
}

/** @throws an error with a hint if a step fails */
export async function deployProduction(
  options: ProductionOptions,
  dependencies: Dependencies,
): Promise<Deployed> {
  const configuration = await readWranglerToml();
  requireSettings(configuration, undefined);
  const target = createTarget(configuration, undefined);
  const upload: Upload = async (config, commitOptions) => {
    const args = ["deploy", "--config", config, ...commitOptions];
    const before = await readHistory(dependencies);
    const entry = await runWranglerForEntry(dependencies, args, DeployEntry).catch(async (cause) => {
      throw await explainFailedUpload(cause, before, dependencies);
    });
    if (!entry) throw new Error("wrangler deploy did not report what it deployed.");
    const address = options.url ?? target.origin ?? findAddress(entry.targets ?? []);
    if (address === undefined)
      throw new Error(
        "The worker is deployed, but wrangler did not report its address. Run the command again with --url.",
      );
    return { address, version: entry.version_id ?? undefined };
  };
  return deploy(target, upload, options, dependencies);
}

/**
 * Finds the address of the worker.
 * @param targets as wrangler lists them: URLs on workers.dev, `counts.example (custom domain)`, routes, schedules
 */
export function findAddress(targets: string[]): string | undefined {
  const url = targets.find((target) => /^https?:\/\//.test(target));
  const domain = targets.map((target) => /^(\S+) \(custom domain/.exec(target)?.[1]).find((name) => name);
  return domain === undefined ? url : `https://${domain}`;
}

/**
 * Serves an earlier version of the code in production. The stores are not changed.
 * @returns the id of the version that is served; undefined if the user decides against it
 * @throws an error with a hint if a step fails
 */
export async function rollBack(
  options: RollbackOptions,
  dependencies: Dependencies,
): Promise<string | undefined> {
  const { origin } = createTarget(await readWranglerToml(), undefined);
  const address = options.url ?? origin;
  const program = dependencies.wrangler;
  const steps = createSteps(address === undefined ? 2 : 3, dependencies, AFTER_INTERRUPTED_ROLLBACK);
  const version = await steps.run("choose the version", HINTS.rollback, (print) =>
    chooseVersion(options.version, dependencies, print),
  );
  if (options.confirm && !(await options.confirm(`Serve version ${version}?`))) return undefined;
  await steps.run("roll back", HINTS.rollback, async () => {
    await runWrangler(["rollback", version, "--yes", "--message", "npm run rollback"], { program });
  });
  if (address !== undefined)
    await steps.run("wait for this version", HINTS.rollback, async (print) =>
      print(await waitForVersion({ address, version }, dependencies.wait)),
    );
  return version;
}

/**
 * Prints the current version and the one to serve, with their commits.
 * @param chosen the id that the user gave
 * @throws if the worker was never deployed, or if it has no earlier version
 */
async function chooseVersion(
  chosen: string | undefined,
  dependencies: Dependencies,
  print: (line: string) => void,
): Promise<string> {
  const history = await readHistory(dependencies);
  const current = history.at(-1);
  if (current === undefined) throw new Error("The worker is not deployed.");
  const commits = await readCommits(dependencies);
  print(`current version: ${current} ${commits.get(current) ?? ""}`.trimEnd());
  const version = chosen ?? findEarlierVersion(history);
  if (version === undefined)
    throw new Error("There is no version before the current one in the last ten deployments.");
  print(`version to serve: ${version} ${commits.get(version) ?? ""}`.trimEnd());
  return version;
}
