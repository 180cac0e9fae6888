import * as z from "zod";
import { runWranglerJson, WranglerError } from "./wrangler.ts";

/** Cloudflare's error codes for a worker that does not exist. */
const NO_WORKER = /\[code: (10007|10090)\]/;

const name = process.env.WRANGLER_CI_OVERRIDE_NAME;
/** Options for the worker name that Workers Builds sets. Some wrangler commands ignore the environment variable. */
export const NAME_OPTIONS = name ? ["--name", name] : [];

export type DeployedVersion = { id: string; store: string | undefined };

const Share = z.object({ version_id: z.string(), percentage: z.number() });
const DeploymentList = z.array(z.object({ versions: z.array(Share) }));
const Binding = z.object({ name: z.string(), text: z.string().optional() });
const Version = z.object({ resources: z.object({ bindings: z.array(Binding).optional() }) });

/**
 * Reads the version in production. While a gradual deployment divides the requests, this is the version that gets most of them.
 * @returns undefined if the worker was never deployed, even if a preview has created the worker
 */
export async function readDeployedVersion(): Promise<DeployedVersion | undefined> {
  const list = ["deployments", "list", "--json", ...NAME_OPTIONS];
  const deployments = await runWranglerJson(DeploymentList, list).catch((error) => {
    if (error instanceof WranglerError && NO_WORKER.test(error.output)) return [];
    throw error;
  });
  // The latest deployment is the last.
  const versions = deployments.at(-1)?.versions ?? [];
  const id = versions.toSorted((a, b) => b.percentage - a.percentage)[0]?.version_id;
  if (id === undefined) return undefined;
  const { resources } = await runWranglerJson(Version, ["versions", "view", id, "--json", ...NAME_OPTIONS]);
  return { id, store: resources.bindings?.find(({ name }) => name === "STORE")?.text };
}
