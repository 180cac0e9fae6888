import { STORE_NAMES, type StoreChoice } from "../data/writer/configuration.ts";
import { readStoreChoice } from "../data/writer/open-store.ts";
import { runWrangler, WranglerError } from "../data/writer/wrangler.ts";
import { printNotice } from "./command-line/progress.ts";

/** Cloudflare's error codes for a worker that does not exist. */
const NO_WORKER = /\[code: (10007|10090)\]/;

const { WRANGLER_CI_OVERRIDE_NAME } = process.env;

/** Workers Builds names the worker that is deployed. Some wrangler commands ignore its variable, but take these options. */
export const NAME_OPTIONS = WRANGLER_CI_OVERRIDE_NAME ? ["--name", WRANGLER_CI_OVERRIDE_NAME] : [];

/** A version that production serves, or served earlier. */
export interface ServedVersion {
  id: string;
  /** When the version was deployed, ISO 8601. */
  since: string;
  /** The message of the deployment: the first line of the commit message. */
  message: string;
}

/**
 * Lists the versions of the latest deployments, each once. Production serves the first one.
 * @returns an empty list if the worker was never deployed, even if a preview has created it
 */
export async function listServedVersions(): Promise<ServedVersion[]> {
  const listed = await runWrangler(["deployments", "list", "--json", ...NAME_OPTIONS]).catch((error) => {
    if (error instanceof WranglerError && NO_WORKER.test(error.output)) return "[]";
    throw error;
  });
  const deployments: Deployment[] = JSON.parse(listed);
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

/** The number of earlier versions that a failed deployment lists, because the test of the latest one may have failed too. */
const LISTED_VERSIONS = 3;

/** Lists the commands that return to an earlier version. Before the first deployment there are none. */
export function formatRollbacks(before: ServedVersion[]): string {
  if (before.length === 0) return "";
  const options = NAME_OPTIONS.map((option) => ` ${option}`).join("");
  const lines = before
    .slice(0, LISTED_VERSIONS)
    .map(({ id, since, message }) => `\n  ${since} "${message}": npx wrangler rollback ${id}${options}`);
  return `\nTo return to the latest version that worked, run its command:${lines.join("")}`;
}

/** Reads the variable `STORE` of a version of the worker. */
export async function readDeployedStore({ id }: ServedVersion): Promise<string | undefined> {
  const version = JSON.parse(await runWrangler(["versions", "view", id, "--json", ...NAME_OPTIONS]));
  const bindings: { name: string; text?: string }[] = Object(version).resources?.bindings ?? [];
  return bindings.find(({ name }) => name === "STORE")?.text;
}

/**
 * Runs a command. If it uses the deployed store, prints which kind of store that is, and warns if the deployed worker serves another
 * one. The worker is asked while the command runs, because wrangler takes seconds.
 */
export async function runWithStoreNotice(choice: StoreChoice, action: () => Promise<void>): Promise<void> {
  if (!choice.remote) return action();
  const { name } = await readStoreChoice(choice);
  printNotice(`Using the deployed ${name} store.`);
  // A different configuration describes the store of a preview, not the store of the worker.
  const compared = choice.config === undefined ? compareStores(name) : undefined;
  await action().finally(() => compared);
}

async function compareStores(name: string): Promise<void> {
  const problem = await findDifference(name).catch(
    () => "Could not determine which store the deployed worker serves.",
  );
  if (problem) printNotice(`Warning: ${problem}`);
}

async function findDifference(name: string): Promise<string | undefined> {
  const [version] = await listServedVersions();
  const served = version && (await readDeployedStore(version));
  if (served === undefined || served === name) return undefined;
  const advice = STORE_NAMES.some((known) => known === served)
    ? ` To use that store, add \`--store ${served}\`.`
    : "";
  return `The deployed worker serves the ${served} store, so its clients do not see the ${name} store.${advice}`;
}
