import { z } from "zod";
import { runWrangler } from "../wrangler.ts";
import { type Dependencies, type DeployOptions, deploy, type Upload } from "./deploy.ts";
import { createTarget, readWranglerToml, requireSettings } from "./deploy-target.ts";
import { runWranglerForEntry } from "./run-command.ts";
import { createSteps, HINTS } from "./steps.ts";
import { type Deployed, waitForVersion } from "./worker-version.ts";

const DeployEntry = z.object({
  type: z.literal("deploy"),
  version_id: z.string().nullish(),
  targets: z.array(z.string()).nullish(),
});

const DeploymentStatus = z.object({ versions: z.array(z.object({ version_id: z.string() })).min(1) });

/** `wrangler rollback` without an id serves the previous version, so a second run undoes the first. */
const AFTER_INTERRUPTED_ROLLBACK =
  "Run `npx wrangler deployments status` to see which version is served before you run the command again.";

export interface ProductionOptions extends DeployOptions {
  /** The public address; by default `PUBLIC_ORIGIN`, or else the address that wrangler reports. */
  url?: string | undefined;
}

export interface RollbackOptions {
  /** The id of the version to serve; by default the previous version. */
  version?: string | undefined;
  /** The public address; by default `PUBLIC_ORIGIN`. Without an address the command does not wait. */
  url?: string | undefined;
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
    const entry = await runWranglerForEntry(dependencies, args, DeployEntry);
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
 * @returns the id of the version that is served
 * @throws an error with a hint if a step fails
 */
export async function rollBack(options: RollbackOptions, dependencies: Dependencies): Promise<string> {
  const { origin } = createTarget(await readWranglerToml(), undefined);
  const address = options.url ?? origin;
  const program = dependencies.wrangler;
  const steps = createSteps(address === undefined ? 2 : 3, dependencies, AFTER_INTERRUPTED_ROLLBACK);
  await steps.run("roll back", HINTS.rollback, async () => {
    const version = options.version === undefined ? [] : [options.version];
    await runWrangler(["rollback", ...version, "--yes", "--message", "npm run rollback"], { program });
  });
  const version = await steps.run("read which version is served", HINTS.rollback, async (print) => {
    const printed = await runWrangler(["deployments", "status", "--json"], { program });
    const { versions } = DeploymentStatus.parse(JSON.parse(printed));
    const id = String(versions[0]?.version_id);
    print(id);
    return id;
  });
  if (address !== undefined)
    await steps.run("wait for this version", HINTS.rollback, async (print) =>
      print(await waitForVersion({ address, version }, dependencies.wait)),
    );
  return version;
}
