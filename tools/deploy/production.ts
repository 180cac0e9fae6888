import { z } from "zod";
import { PROJECT } from "../wrangler.ts";
import { type Commit, readCommit } from "./git.ts";
import { findPlace, readConfiguration, requireSettings } from "./place.ts";
import { runRecorded } from "./programs.ts";
import { type ReleaseOptions, release, type Surroundings } from "./release.ts";
import type { Published } from "./version.ts";

const Deployed = z.object({
  type: z.literal("deploy"),
  version_id: z.string().nullish(),
  targets: z.array(z.string()).nullish(),
});

/** The platform takes messages of so many characters. */
const MESSAGE_LENGTH = 100;

export interface ProductionOptions extends ReleaseOptions {
  /** Where clients reach the service, if neither PUBLIC_ORIGIN nor wrangler says. */
  url?: string | undefined;
}

/**
 * Deploys to production.
 * @throws with what to do, if a step fails
 */
export async function deployProduction(
  options: ProductionOptions,
  surroundings: Surroundings,
): Promise<Published> {
  const configuration = await readConfiguration();
  requireSettings(configuration, undefined);
  const place = findPlace(configuration, undefined);
  const commit = await readCommit(surroundings.folder ?? PROJECT);
  const publish = async (file: string): Promise<Published> => {
    const args = ["deploy", "--config", file, ...describeCommit(commit)];
    const entries = await runRecorded(surroundings, args);
    const deployed = entries.map((entry) => Deployed.safeParse(entry).data).find((entry) => entry);
    if (!deployed) throw new Error("wrangler deploy did not say what it deployed.");
    const address = options.url ?? place.origin ?? findAddress(deployed.targets ?? []);
    if (address === undefined)
      throw new Error("The worker is deployed, but wrangler does not say where: say so with --url.");
    return { address, version: deployed.version_id ?? undefined };
  };
  return release(place, publish, options, surroundings);
}

/** The options by which a version says which commit it is. */
export function describeCommit(commit: Commit | undefined): string[] {
  if (!commit) return [];
  return ["--tag", commit.id, "--message", commit.subject.slice(0, MESSAGE_LENGTH)];
}

/**
 * The address that wrangler deployed to.
 * @param targets as it lists them: URLs on workers.dev, `counts.example (custom domain)`, routes, schedules
 */
export function findAddress(targets: string[]): string | undefined {
  const url = targets.find((target) => /^https?:\/\//.test(target));
  const domain = targets.map((target) => /^(\S+) \(custom domain/.exec(target)?.[1]).find((name) => name);
  return domain === undefined ? url : `https://${domain}`;
}
