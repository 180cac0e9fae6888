import type { Unstable_RawConfig as RawConfig } from "wrangler";
import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import { readUsedIds } from "./account.ts";
import type { Dependencies, Wrangler } from "./dependencies.ts";
import { createPreviewName, previewPrefix } from "./names.ts";
import { listResources, RESOURCES, type Resource } from "./resources.ts";
import { createSteps } from "./steps.ts";
import { requireWorkerName } from "./target.ts";
import { nameOptions } from "./upload.ts";

const HINT = "Run the command again. It skips what was already removed.";

/** Cloudflare's error codes for a preview and for a worker that do not exist. */
const NOT_FOUND = /\[code: (10025|10007|10090)\]/;

/** A database or a namespace of a preview of this repository. */
interface OwnResource extends Resource {
  store: StoreName;
  preview: string;
}

/**
 * Removes the previews of this repository that belong to none of the branches.
 * @param readBranches reads the names of the branches. It is called after the previews are listed, so that a preview that is
 * deployed meanwhile is not removed
 * @throws an error with a hint if a step fails, or if the repository has no address by which its previews can be recognised
 */
export async function removeOtherPreviews(
  configuration: RawConfig,
  origin: string,
  readBranches: () => Promise<string[]>,
  dependencies: Dependencies,
): Promise<void> {
  if (origin === "")
    throw new Error(
      "The repository has no remote `origin`, so its previews cannot be distinguished from those of other repositories.",
    );
  const worker = requireWorkerName(configuration);
  const choose = async (existing: string[]) => {
    const kept = (await readBranches()).map((branch) => createPreviewName(branch, worker));
    return existing.filter((preview) => !kept.includes(preview));
  };
  await removePreviews(configuration, origin, choose, dependencies);
}

/**
 * Removes previews of this repository with their databases and namespaces. A database or namespace stays if a worker uses it, or
 * if wrangler.toml gives its id.
 * @param configuration wrangler.toml
 * @param origin the address of the repository
 * @param choose gets the names of the previews that have a database or a namespace, and returns those to remove
 * @throws an error with a hint if a step fails
 */
export async function removePreviews(
  configuration: RawConfig,
  origin: string,
  choose: (existing: string[]) => Promise<string[]>,
  dependencies: Dependencies,
): Promise<void> {
  const { wrangler, print } = dependencies;
  const worker = requireWorkerName(configuration);
  const step = createSteps(2, print);
  const [own, chosen] = await step("find the previews", HINT, async () => {
    const own = await listOwnResources(previewPrefix(worker, origin), wrangler);
    const chosen = await choose([...new Set(own.map(({ preview }) => preview))].sort());
    print(`      to be removed: ${chosen.join(", ") || "none"}`);
    return [own, chosen] as const;
  });
  await step("remove them with their stores", HINT, async () => {
    const resources = own.filter(({ preview }) => chosen.includes(preview));
    const usedIds = resources.length > 0 ? await readUsedIds(wrangler) : new Set();
    for (const id of listIds(configuration)) usedIds.add(id);
    for (const preview of chosen) await removeFromWorker(worker, preview, dependencies);
    for (const resource of resources) {
      const { kind, remove } = RESOURCES[resource.store];
      const isUsed = usedIds.has(resource.id);
      if (!isUsed) await wrangler([...remove(resource)]);
      print(`      the ${kind} ${resource.name} ${isUsed ? "stays, because it is in use" : "is removed"}`);
    }
  });
}

async function listOwnResources(prefix: string, wrangler: Wrangler): Promise<OwnResource[]> {
  const own: OwnResource[] = [];
  for (const store of STORE_NAMES)
    for (const resource of await listResources(store, wrangler))
      if (resource.name.startsWith(prefix))
        own.push({ ...resource, store, preview: resource.name.slice(prefix.length) });
  return own;
}

/** The ids in wrangler.toml. All previews share a resource whose id is there. */
function listIds(configuration: RawConfig): unknown[] {
  return [configuration, configuration.previews ?? {}].flatMap(
    ({ d1_databases = [], kv_namespaces = [] }) => [
      ...d1_databases.map(({ database_id }) => database_id),
      ...kv_namespaces.map(({ id }) => id),
    ],
  );
}

async function removeFromWorker(
  worker: string,
  preview: string,
  { wrangler, print }: Dependencies,
): Promise<void> {
  const options = nameOptions({ worker, preview });
  await wrangler(["preview", "delete", ...options, "--skip-confirmation"]).catch((error) => {
    if (!NOT_FOUND.test(String(error))) throw error;
    print(`      the preview ${preview} does not exist`);
  });
}
