import type { Unstable_RawConfig as RawConfig } from "wrangler";
import { z } from "zod";
import { PROJECT, runWrangler } from "../../data/stores/wrangler.ts";
import { createApiReader, readUsedIds } from "./account.ts";
import { type Dependencies, type DeployOptions, deploy, type Upload } from "./deploy.ts";
import {
  createTarget,
  type DeployTarget,
  HASH_LENGTH,
  previewPrefix,
  readWranglerToml,
  requireSettings,
  requireWorkerName,
  shortHash,
} from "./deploy-target.ts";
import { readBranch, readOrigin } from "./git.ts";
import { listResources, type Removable, removeResource } from "./resources.ts";
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
 * Removes the preview of a branch, with its database and its namespace unless wrangler.toml gives their ids or a worker
 * uses them.
 * @throws an error with a hint if a step fails
 */
export async function deletePreview(options: PreviewOptions, dependencies: Dependencies): Promise<void> {
  const target = await findTarget(await readWranglerToml(), options, dependencies);
  const removable = await findRemovable(target.worker, dependencies);
  const steps = createSteps(3, dependencies);
  await steps.run(`remove the preview ${target.preview}`, HINTS.removal, (print) =>
    removeFromWorker(target, dependencies, print),
  );
  await steps.run("remove its database", HINTS.removal, (print) =>
    removeResource("database", target.database, removable, dependencies, print),
  );
  await steps.run("remove its namespace", HINTS.removal, (print) =>
    removeResource("namespace", target.namespace, removable, dependencies, print),
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

async function findRemovable(
  worker: string,
  { repository = PROJECT, wrangler, readApi }: Dependencies,
): Promise<Removable> {
  let used: Promise<Set<unknown>> | undefined;
  const read = async () =>
    readUsedIds(readApi ?? (await createApiReader((args) => runWrangler(args, { program: wrangler }))));
  return {
    prefix: previewPrefix(worker, await readOrigin(repository)),
    readUsedIds() {
      used ??= read();
      return used;
    },
  };
}

/**
 * Removes every preview of this repository that has its own database or namespace and belongs to none of the branches.
 * @param readBranches reads the names of the branches. It is called after the previews are listed, so that a preview that is
 * deployed meanwhile is not removed
 * @throws an error with a hint if a step fails, or if the repository has no address by which its previews can be recognised
 */
export async function deleteOtherPreviews(
  readBranches: () => Promise<string[]>,
  dependencies: Dependencies,
): Promise<void> {
  const configuration = await readWranglerToml();
  const worker = requireWorkerName(configuration);
  const origin = await readOrigin(dependencies.repository ?? PROJECT);
  if (origin === "")
    throw new Error(
      "The repository has no remote `origin`, by which its previews are told from those of other repositories.",
    );
  const removable = await findRemovable(worker, dependencies);
  const steps = createSteps(2, dependencies);
  const others = await steps.run("find the previews of other branches", HINTS.removal, async (print) => {
    const existing = await listPreviews(removable.prefix, dependencies);
    const kept = new Set((await readBranches()).map((branch) => createPreviewName(branch, worker)));
    const found = existing.filter((preview) => !kept.has(preview));
    print(found.length === 0 ? "there are none" : found.join(", "));
    return found;
  });
  await steps.run("remove these previews", HINTS.removal, async (print) => {
    for (const target of others.map((preview) => createTarget(configuration, preview, origin))) {
      await removeFromWorker(target, dependencies, print);
      await removeResource("database", target.database, removable, dependencies, print);
      await removeResource("namespace", target.namespace, removable, dependencies, print);
    }
  });
}

/** Lists the names of previews by their databases and namespaces, because wrangler has no command that lists previews. */
async function listPreviews(prefix: string, dependencies: Dependencies): Promise<string[]> {
  const databases = await listResources("database", dependencies);
  const namespaces = await listResources("namespace", dependencies);
  const names = [...databases, ...namespaces].map(({ name }) => name);
  const own = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  return [...new Set(own)].sort();
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
  const preview = createPreviewName(chosen, requireWorkerName(configuration));
  return createTarget(configuration, preview, await readOrigin(repository));
}

/**
 * Makes the name of a branch's preview. It consists of a to z, digits and single hyphens, and is short enough for a host
 * name and for the names of the preview's resources. A branch name that fits is used unchanged. Any other gets a hash at
 * its end, and so does a name that ends like one with a hash, so that two branches never share a preview.
 * @throws if the branch name is empty, because wrangler would use another name; if the worker's name is too long
 */
export function createPreviewName(branch: string, worker: string): string {
  if (branch.trim() === "") throw new Error("The name of the branch is empty.");
  const length = LABEL_LENGTH - previewPrefix(worker, "").length;
  if (length <= HASH_LENGTH)
    throw new Error(
      `The name of the worker, ${worker}, is too long for previews. Shorten it in wrangler.toml.`,
    );
  const simple = simplify(branch);
  if (simple === branch && simple.length <= length && !ENDS_LIKE_HASH.test(simple)) return simple;
  const hash = shortHash(branch);
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
