import { createHash } from "node:crypto";

/** A label of a host name has at most so many characters. */
const LABEL = 63;

/** Between the worker's name and a preview's in the names of what belongs to the preview. */
const INFIX = "-preview-";

const HASH_LENGTH = 6;

/** What a name that lost something ends with, so a branch that is called so gets a hash as well. */
const HASHED = new RegExp(`(^|-)[0-9a-f]{${HASH_LENGTH}}$`);

/**
 * The name of a branch's preview: of a to z, digits and single hyphens, and short enough for a host name and for the
 * names of its database and namespace. A branch whose name fits keeps it; one that loses anything on the way ends in a
 * hash, so that two branches never share a preview.
 * @param branch such as `feature/login`
 * @param worker the worker's name
 * @throws if the branch has no name, since wrangler would take another one then; if the worker's name leaves no room
 */
export function previewName(branch: string, worker: string): string {
  if (branch.trim() === "") throw new Error("The branch has no name.");
  const room = LABEL - worker.length - INFIX.length;
  if (room <= HASH_LENGTH) throw new Error(`The worker's name ${worker} is too long for previews.`);
  const plain = simplify(branch);
  if (plain === branch && plain.length <= room && !HASHED.test(plain)) return plain;
  const hash = createHash("sha256").update(branch).digest("hex").slice(0, HASH_LENGTH);
  const stem = plain.slice(0, room - HASH_LENGTH - 1).replace(/-$/, "");
  return stem === "" ? hash : `${stem}-${hash}`;
}

/** The name of what belongs to a preview alone; of production, if there is no preview. */
export function ownName(worker: string, preview: string | undefined): string {
  return preview === undefined ? worker : worker + INFIX + preview;
}

function simplify(branch: string): string {
  const letters = branch
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss");
  return letters.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
}
