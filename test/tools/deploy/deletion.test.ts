import { execFileSync } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { StandIn } from "../../../data/stores/wrangler.ts";
import type { Dependencies } from "../../../tools/deploy/deploy.ts";
import { deleteOtherPreviews, deletePreview } from "../../../tools/deploy/preview.ts";
import { createFolder } from "../../temporary-folder.ts";

const WORKER = "traffic-count-records";

/** The beginning of the names of stores that previews of `https://github.com/owner/counts` have. */
const OWN = `${WORKER}-preview-77df07-`;

/** Names of stores that belong to others, or to production. */
const FOREIGN = [
  WORKER,
  `${WORKER}-kv`,
  `${WORKER}-db`,
  // Another worker, and its previews.
  `${WORKER}-preview-eu`,
  `${WORKER}-preview-eu-db`,
  `${WORKER}-preview-eu-preview-77df07-login`,
  `other-${OWN}login`,
  // The same worker from another repository, and names without a hash.
  `${WORKER}-preview-1a2b3c-login`,
  `${WORKER}-preview-login`,
  `${WORKER}-preview-`,
  `${WORKER}-preview-77df07`,
  `${WORKER.toUpperCase()}-preview-77df07-login`,
];

let repository: string;
beforeAll(() => {
  repository = createRepository("https://github.com/Owner/counts.git");
});

function createRepository(origin?: string): string {
  const folder = join(createFolder(), "repository");
  execFileSync("git", ["init", "--quiet", "--initial-branch", "login", folder]);
  if (origin !== undefined) execFileSync("git", ["remote", "add", "origin", origin], { cwd: folder });
  return folder;
}

interface Account {
  databases: string[];
  namespaces: string[];
  /** The previews that were removed. */
  removed: string[];
}

/** An account with these stores, whose ids are `id-of-` and the name. */
function createAccount(names: string[], usedIds: string[] = []) {
  const account: Account = { databases: [...names], namespaces: [...names], removed: [] };
  const remove = (list: string[], name: string) => {
    const index = list.indexOf(name);
    if (index < 0) throw new Error(`${name} does not exist.`);
    list.splice(index, 1);
    return "";
  };
  const run = (args: string[]): string => {
    const [command] = /^(d1|kv namespace|preview) \w+/.exec(args.join(" ")) ?? [];
    const [name = "", id = ""] = [args[2], args[4]];
    if (command === "d1 list")
      return JSON.stringify(account.databases.map((name) => ({ name, uuid: `id-of-${name}` })));
    if (command === "kv namespace list")
      return JSON.stringify(account.namespaces.map((title) => ({ title, id: `id-of-${title}` })));
    if (command === "d1 delete") return remove(account.databases, name);
    if (command === "kv namespace delete") return remove(account.namespaces, id.replace("id-of-", ""));
    if (command === "preview delete") account.removed.push(String(args[3]));
    return "";
  };
  const wrangler: StandIn = async (args) => ({ status: 0, output: run(args), errors: "" });
  const readApi = async (path: string) =>
    path === "/workers/scripts"
      ? [{ id: "unrelated" }, { id: "exporter" }]
      : { bindings: path.includes("exporter") ? usedIds.map((id) => ({ type: "d1", id })) : [] };
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  const dependencies: Dependencies = { print, wrangler, readApi, repository };
  return { account, dependencies, printed };
}

describe("the removal of all previews but those of some branches", () => {
  test("removes nothing that is not of a preview of this repository", async () => {
    const { account, dependencies } = createAccount([...FOREIGN, `${OWN}login`, `${OWN}old`]);
    await deleteOtherPreviews(async () => ["login"], dependencies);
    const rest = [...FOREIGN, `${OWN}login`];
    expect(account).toEqual({ databases: rest, namespaces: rest, removed: ["old"] });
  });

  test("removes exactly the stores whose names begin with the hash of the repository, of any names", async () => {
    const part = fc.constantFrom(WORKER, "-preview-", "77df07", "-", "eu", "1a2b3c", "login", "kv");
    const name = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.oneof(name, fc.constant(`${OWN}old`))), async (names) => {
        const { account, dependencies } = createAccount(names);
        await deleteOtherPreviews(async () => [], dependencies);
        const rest = names.filter((name) => !name.startsWith(OWN));
        expect(account).toMatchObject({ databases: rest, namespaces: rest });
      }),
    );
  });

  test("keeps stores that a worker uses", async () => {
    const { account, dependencies, printed } = createAccount([`${OWN}old`], [`id-of-${OWN}old`]);
    await deleteOtherPreviews(async () => [], dependencies);
    expect(account).toMatchObject({ databases: [`${OWN}old`], namespaces: [`${OWN}old`] });
    expect(printed).toContain(`      the database ${OWN}old stays, because a worker uses it`);
  });

  test("removes no store if it cannot read what workers use", async () => {
    const { account, dependencies } = createAccount([`${OWN}old`]);
    const readApi = () => Promise.reject(new Error("Authentication error [code: 10000]"));
    await expect(deleteOtherPreviews(async () => [], { ...dependencies, readApi })).rejects.toThrow("10000");
    expect(account).toMatchObject({ databases: [`${OWN}old`], namespaces: [`${OWN}old`] });
  });

  test("removes nothing if it cannot read the branches", async () => {
    const { account, dependencies } = createAccount([`${OWN}old`]);
    const readBranches = () => Promise.reject(new Error("gh: not found"));
    await expect(deleteOtherPreviews(readBranches, dependencies)).rejects.toThrow("gh: not found");
    expect(account).toEqual({ databases: [`${OWN}old`], namespaces: [`${OWN}old`], removed: [] });
  });

  test("keeps the preview of a branch that is opened while the command runs", async () => {
    const { account, dependencies } = createAccount([`${OWN}old`]);
    await deleteOtherPreviews(async () => {
      account.databases.push(`${OWN}new`);
      return [];
    }, dependencies);
    expect(account).toEqual({ databases: [`${OWN}new`], namespaces: [], removed: ["old"] });
  });

  test("is refused if the repository has no address", async () => {
    const { account, dependencies } = createAccount([`${OWN}old`]);
    const local = { ...dependencies, repository: createRepository() };
    await expect(deleteOtherPreviews(async () => [], local)).rejects.toThrow("has no remote `origin`");
    expect(account.removed).toEqual([]);
  });
});

describe("the removal of one preview", () => {
  test("removes its stores and nothing else", async () => {
    const { account, dependencies } = createAccount([...FOREIGN, `${OWN}login`, `${OWN}old`]);
    await deletePreview({}, dependencies);
    const rest = [...FOREIGN, `${OWN}old`];
    expect(account).toEqual({ databases: rest, namespaces: rest, removed: ["login"] });
  });

  test("keeps stores that a worker uses", async () => {
    const { account, dependencies } = createAccount([`${OWN}login`], [`id-of-${OWN}login`]);
    await deletePreview({}, dependencies);
    expect(account).toMatchObject({ databases: [`${OWN}login`], namespaces: [`${OWN}login`] });
  });

  test.each([
    "https://github.com/owner/counts",
    "https://token:x-oauth@github.com/Owner/Counts.git/",
    "git@github.com:owner/counts.git",
    "ssh://git@github.com/owner/counts",
  ])("finds the stores from a clone of %s", async (origin) => {
    const { account, dependencies } = createAccount([`${OWN}login`]);
    await deletePreview({}, { ...dependencies, repository: createRepository(origin) });
    expect(account.databases).toEqual([]);
  });

  test("finds no stores of another repository", async () => {
    const { account, dependencies } = createAccount([`${OWN}login`]);
    const other = createRepository("https://github.com/other/counts");
    await deletePreview({}, { ...dependencies, repository: other });
    expect(account.databases).toEqual([`${OWN}login`]);
  });
});
