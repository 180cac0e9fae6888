import { printNotice } from "./command-line/progress.ts";
import { STORE_NAMES, type StoreChoice, type StoreName } from "./data/stores/configuration.ts";
import { readStoreConfiguration } from "./data/stores/open-store.ts";
import { runWranglerJson, WranglerError } from "./data/stores/wrangler.ts";

/** Cloudflare's error codes for a worker that does not exist. */
const NO_WORKER = /\[code: (10007|10090)\]/;

const { WRANGLER_CI_OVERRIDE_NAME } = process.env;

/** Options for the worker name that Workers Builds sets. Some wrangler commands ignore the environment variable. */
const NAME_OPTIONS = WRANGLER_CI_OVERRIDE_NAME ? ["--name", WRANGLER_CI_OVERRIDE_NAME] : [];

/** A version of the worker that is or was in production. */
export interface ServedVersion {
  id: string;
  /** The time of its deployment, ISO 8601. */
  since: string;
  /** The first line of the commit message. */
  message: string;
}

/**
 * Lists the versions of the latest deployments, newest first and without duplicates. The first version is in production.
 * @returns An empty list if the worker was never deployed, even if a preview has created the worker.
 */
export async function listServedVersions(): Promise<ServedVersion[]> {
  const command = ["deployments", "list", "--json", ...NAME_OPTIONS];
  const deployments = await runWranglerJson<Deployment[]>(command).catch((error) => {
    if (error instanceof WranglerError && NO_WORKER.test(error.output)) return [];
    throw error;
  });
  // Wrangler lists the latest deployment last.
  const served = deployments.reverse().map(({ created_on, versions, annotations }) => ({
    id: String(versions[0]?.version_id),
    since: created_on,
    message: annotations?.["workers/message"] ?? "",
  }));
  return served.filter(({ id }, index) => served.findIndex((other) => other.id === id) === index);
}

interface Deployment {
  created_on: string;
  versions: { version_id: string }[];
  annotations?: Record<string, string>;
}

interface Version {
  resources: { bindings: { name: string; text?: string }[] };
}

/** The maximum number of versions to choose from. One is not enough, because the latest deployment may have failed its test, too. */
const MAX_ROLLBACKS = 5;

/** Formats a `wrangler rollback` command for each of the latest versions. */
export function formatRollbacks(versions: ServedVersion[]): string {
  if (versions.length === 0) return "";
  const lines = versions
    .slice(0, MAX_ROLLBACKS)
    .map(({ id, since, message }) =>
      [`\n  ${since} "${message}": npx wrangler rollback`, id, ...NAME_OPTIONS].join(" "),
    );
  return `\nTo return to the latest version that worked, run its command:${lines.join("")}`;
}

/** Reads the variable `STORE` of the version in production. */
export async function readDeployedStore([latest]: ServedVersion[]): Promise<string | undefined> {
  if (latest === undefined) return undefined;
  const command = ["versions", "view", latest.id, "--json", ...NAME_OPTIONS];
  const { resources } = await runWranglerJson<Version>(command);
  return resources.bindings.find(({ name }) => name === "STORE")?.text;
}

/**
 * Runs a command. With `--remote`, prints the kind of the deployed store, and warns if the worker serves a different store. The
 * command does not wait for this check, because wrangler needs several seconds.
 */
export async function runWithStoreNotice(choice: StoreChoice, action: () => Promise<void>): Promise<void> {
  if (!choice.remote) return action();
  const { name } = await readStoreConfiguration(choice);
  printNotice(`Using the deployed ${name} store.`);
  // With --config, the store belongs to a preview, so the worker's store is not checked.
  const warned = choice.config === undefined ? warnIfNotServed(name) : undefined;
  await action().finally(() => warned);
}

async function warnIfNotServed(name: StoreName): Promise<void> {
  try {
    const served = await readDeployedStore(await listServedVersions());
    if (served === undefined || served === name) return;
    const isLoaded = STORE_NAMES.some((known) => known === served);
    const advice = isLoaded ? ` To use the ${served} store, add \`--store ${served}\`.` : "";
    printNotice(
      `Warning: The deployed worker serves the ${served} store, so its clients do not see the ${name} store.${advice}`,
    );
  } catch {
    printNotice("Warning: Could not determine which store the deployed worker serves.");
  }
}
