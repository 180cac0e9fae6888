import { createHash } from "node:crypto";

/** The maximum length of a label of a host name. */
const LABEL_LENGTH = 63;

const HASH_LENGTH = 6;

const ENDS_LIKE_HASH = new RegExp(`(^|-)[0-9a-f]{${HASH_LENGTH}}$`);

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, HASH_LENGTH);
}

/**
 * What the names of all databases and namespaces of previews begin with. It contains a hash of the repository, so that they
 * differ from those of another worker, such as `NAME-preview-eu`, and of a worker with the same name from another repository.
 * @param origin the address of the repository
 */
export function previewPrefix(worker: string, origin: string): string {
  return `${worker}-preview-${shortHash(origin)}-`;
}

/**
 * Makes the name of a branch's preview: a to z, digits and single hyphens, short enough for a host name and for the names of
 * resources. A branch name that is like this is used unchanged. Any other gets a hash at its end, and so does a name that
 * ends like one with a hash, so that two branches never share a preview.
 * @throws if the branch name is empty, because wrangler would use another name; if the worker's name is too long
 */
export function createPreviewName(branch: string, worker: string): string {
  if (branch.trim() === "")
    throw new Error("The branch has no name. Check out a branch, or use --branch NAME.");
  const length = LABEL_LENGTH - previewPrefix(worker, "").length;
  if (length <= HASH_LENGTH)
    throw new Error(
      `The name of the worker, ${worker}, is too long for previews. Shorten it in wrangler.toml.`,
    );
  const words = branch.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const simple = words.join("-");
  if (simple === branch && simple.length <= length && !ENDS_LIKE_HASH.test(simple)) return simple;
  const start = simple.slice(0, length - HASH_LENGTH - 1).replace(/-$/, "");
  return start === "" ? shortHash(branch) : `${start}-${shortHash(branch)}`;
}
