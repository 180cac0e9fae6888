import { createHash } from "node:crypto";
import type { Unstable_RawConfig as RawConfig } from "wrangler";
import { z } from "zod";
import { PROJECT, runWrangler } from "../../data/stores/wrangler.ts";
import { type Dependencies, type DeployOptions, deploy, type Upload } from "./deploy.ts";
import {
  createTarget,
  type DeployTarget,
  NAMESPACE_SUFFIX,
  PREVIEW_INFIX,
  readWranglerToml,
  requireSettings,
  requireWorkerName,
} from "./deploy-target.ts";
import { readBranch } from "./git.ts";
import { type ExistingResource, listResources, removeResource } from "./resources.ts";
import { runWranglerForEntry } from "./run-command.ts";
import { createSteps, HINTS } from "./steps.ts";
import type { Deployed } from "./worker-version.ts";

const PreviewEntry = z.object({
  type: z.literal("preview"),
  preview_urls: z.array(z.string()).nullish(),
  deployment_urls: z.array(z.string()).nullish(),
});

/** Cloudflare's error codes for a preview and for a worker that do not exist. */
const NOT_FOUND = /\[code: (10025|10007|10090)\]/;

/** The maximum length of a label of a host name, in characters. */
const LABEL_LENGTH = 63;

const HASH_LENGTH = 6;

/** A name that could be taken for one with a hash. */
const ENDS_LIKE_HASH = new RegExp(`(^|-)[0-9a-f]{${HASH_LENGTH}}$`);

export interface PreviewOptions extends DeployOptions {
  /** By default the branch that is checked out. */
  branch?: string | undefined;
}

/**
 * Deploys a branch to its preview, which has its own database and namespace.
 * @throws an error with a hint if a step fails
 */
export async function deployPreview(options: PreviewOptions, dependencies: Dependencies): Promise<Deployed> {
  const configuration = await readWranglerToml();
  const target = await findTarget(configuration, options, dependencies);
  requireSettings(configuration, target.preview);
  const upload: Upload = async (config, commitOptions) => {
    const args = ["preview", "--config", config, "--ignore-base-config", ...nameOptions(target)];
    const entry = await runWranglerForEntry(dependencies, [...args, ...commitOptions], PreviewEntry);
    const address = target.origin ?? entry?.preview_urls?.[0];
    if (address === undefined)
      throw new Error(
        "The preview has no address. Set preview_urls = true in wrangler.toml and run `npm run deploy` once, then deploy the preview again.",
      );
    return { address, version: undefined, versionAddress: entry?.deployment_urls?.[0] };
  };
  return deploy(target, upload, options, dependencies);
}

/**
 * Removes the preview of a branch, with its database and its namespace unless wrangler.toml gives their ids.
 * @throws an error with a hint if a step fails
 */
export async function deletePreview(options: PreviewOptions, dependencies: Dependencies): Promise<void> {
  const target = await findTarget(await readWranglerToml(), options, dependencies);
  const steps = createSteps(3, dependencies);
  await steps.run(`remove the preview ${target.preview}`, HINTS.removal, (print) =>
    removeFromWorker(target, dependencies, print),
  );
  await steps.run("remove its database", HINTS.removal, (print) =>
    removeResource("database", target.database, dependencies, print),
  );
  await steps.run("remove its namespace", HINTS.removal, (print) =>
    removeResource("namespace", target.namespace, dependencies, print),
  );
}

async function removeFromWorker(
  target: DeployTarget,
  dependencies: Dependencies,
  print: (line: string) => void,
): Promise<void> {
  const args = ["preview", "delete", ...nameOptions(target), "--skip-confirmation"];
  await runWrangler(args, { program: dependencies.wrangler }).catch((error) => {
    if (!NOT_FOUND.test(String(error))) throw error;
    print("the preview does not exist");
  });
}

/**
 * Removes every preview that has its own database or namespace and belongs to none of the branches.
 * @throws an error with a hint if a step fails
 */
export async function deleteOtherPreviews(branches: string[], dependencies: Dependencies): Promise<void> {
  const configuration = await readWranglerToml();
  const worker = requireWorkerName(configuration);
  const kept = new Set(branches.map((branch) => createPreviewName(branch, worker)));
  const steps = createSteps(2, dependencies);
  const others = await steps.run("find the previews of other branches", HINTS.removal, async (print) => {
    const found = (await listPreviews(worker, dependencies)).filter((preview) => !kept.has(preview));
    print(found.length === 0 ? "there are none" : found.join(", "));
    return found;
  });
  await steps.run("remove these previews", HINTS.removal, async (print) => {
    for (const target of others.map((preview) => createTarget(configuration, preview))) {
      await removeFromWorker(target, dependencies, print);
      await removeResource("database", target.database, dependencies, print);
      await removeResource("namespace", target.namespace, dependencies, print);
    }
  });
}

/** Lists the names of previews by their databases and namespaces, because wrangler has no command that lists previews. */
async function listPreviews(worker: string, dependencies: Dependencies): Promise<string[]> {
  const databases = await listResources("database", dependencies);
  const namespaces = await listResources("namespace", dependencies);
  const prefix = worker + PREVIEW_INFIX;
  const namesOf = (resources: ExistingResource[], suffix: string) =>
    resources
      .filter(({ name }) => name.startsWith(prefix) && name.endsWith(suffix))
      .map(({ name }) => name.slice(prefix.length, name.length - suffix.length));
  return [...new Set([...namesOf(databases, ""), ...namesOf(namespaces, NAMESPACE_SUFFIX)])].sort();
}

function nameOptions({ worker, preview }: DeployTarget): string[] {
  return ["--name", String(preview), "--worker-name", worker];
}

/** @throws if no branch is given and none is checked out */
async function findTarget(
  configuration: RawConfig,
  { branch }: PreviewOptions,
  { repository = PROJECT }: Dependencies,
): Promise<DeployTarget> {
  const chosen =
    branch ??
    (await readBranch(repository).catch(({ message }: Error) => {
      throw new Error(`${message} Name the branch with --branch.`);
    }));
  if (chosen === undefined) throw new Error("No branch is checked out. Name the branch with --branch.");
  return createTarget(configuration, createPreviewName(chosen, requireWorkerName(configuration)));
}

/**
 * Makes the name of a branch's preview. It consists of a to z, digits and single hyphens, and is short enough for a host
 * name and for the names of the preview's resources. A branch name that fits is used unchanged. Any other gets a hash at
 * its end, and so does a name that ends like one with a hash, so that two branches never share a preview.
 * @throws if the branch name is empty, because wrangler would use another name; if the worker's name is too long
 */
export function createPreviewName(branch: string, worker: string): string {
  if (branch.trim() === "") throw new Error("The name of the branch is empty.");
  const length = LABEL_LENGTH - worker.length - PREVIEW_INFIX.length;
  if (length <= HASH_LENGTH)
    throw new Error(
      `The name of the worker, ${worker}, is too long for previews. Shorten it in wrangler.toml.`,
    );
  const simple = simplify(branch);
  if (simple === branch && simple.length <= length && !ENDS_LIKE_HASH.test(simple)) return simple;
  const hash = createHash("sha256").update(branch).digest("hex").slice(0, HASH_LENGTH);
  const start = simple.slice(0, length - HASH_LENGTH - 1).replace(/-$/, "");
  return start === "" ? hash : `${start}-${hash}`;
}

function simplify(branch: string): string {
  const letters = branch
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss");
  return letters.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
}
