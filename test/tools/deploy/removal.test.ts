import { beforeAll, describe, expect, test } from "vitest";
import { readOrigin } from "../../../tools/deploy/git.ts";
import { removeOtherPreviews, removePreviews } from "../../../tools/deploy/removal.ts";
import { type Account, CONFIGURATION, createAccount, createRepository } from "./recording.ts";

const ORIGIN = "github.com/owner/counts";

/** The beginning of the names of stores that previews of this repository have. */
const OWN = "counts-preview-77df07-";

/** Names of stores that belong to others, or to production. */
const FOREIGN = [
  "counts",
  "counts-kv",
  "counts-db",
  // Another worker, and its previews.
  "counts-preview-eu",
  "counts-preview-eu-db",
  "counts-preview-eu-preview-77df07-login",
  `other-${OWN}login`,
  // The same worker from another repository, and names without a hash.
  "counts-preview-1a2b3c-login",
  "counts-preview-login",
  "counts-preview-",
  "counts-preview-77df07",
  "COUNTS-preview-77df07-login",
];

/** An account that has a database and a namespace of each name. */
function fillAccount(names: string[], changes: Partial<Account> = {}): Account {
  return createAccount("/project", { databases: [...names], namespaces: [...names], ...changes });
}

const removeOthers = (readBranches: () => Promise<string[]>, { dependencies }: Account) =>
  removeOtherPreviews(CONFIGURATION, ORIGIN, readBranches, dependencies);

const removeOne = (preview: string, { dependencies }: Account) =>
  removePreviews(CONFIGURATION, ORIGIN, async () => [preview], dependencies);

describe("the removal of all previews but those of some branches", () => {
  test("removes nothing that is not of a preview of this repository", async () => {
    const account = fillAccount([...FOREIGN, `${OWN}login`, `${OWN}old`]);
    await removeOthers(async () => ["login"], account);
    const rest = [...FOREIGN, `${OWN}login`];
    expect(account).toMatchObject({ databases: rest, namespaces: rest, removed: ["old"] });
    expect(account.printed).toContain("      to be removed: old");
  });

  test("keeps stores that a worker uses", async () => {
    const account = fillAccount([`${OWN}old`], { usedIds: [`id-of-${OWN}old`] });
    await removeOthers(async () => [], account);
    expect(account).toMatchObject({ databases: [`${OWN}old`], namespaces: [`${OWN}old`] });
    expect(account.printed).toContain(`      the database ${OWN}old stays, because it is in use`);
  });

  test("keeps a store whose id is in wrangler.toml", async () => {
    const account = fillAccount([`${OWN}old`]);
    const d1_databases = [{ binding: "DB", database_id: `id-of-${OWN}old` }];
    const configuration = { ...CONFIGURATION, previews: { d1_databases } };
    await removeOtherPreviews(configuration, ORIGIN, async () => [], account.dependencies);
    expect(account.databases).toEqual([`${OWN}old`]);
  });

  test("removes nothing if it cannot read what workers use", async () => {
    const account = fillAccount([`${OWN}old`], { failures: { "wrangler auth": "Not logged in." } });
    await expect(removeOthers(async () => [], account)).rejects.toThrow("Not logged in.");
    expect(account).toMatchObject({ databases: [`${OWN}old`], namespaces: [`${OWN}old`], removed: [] });
  });

  test("removes nothing if it cannot read the branches", async () => {
    const account = fillAccount([`${OWN}old`]);
    await expect(removeOthers(() => Promise.reject(new Error("gh: not found")), account)).rejects.toThrow(
      /^Step 1 of 2 failed: find the previews\.\ngh: not found\n\nRun the command again/,
    );
    expect(account).toMatchObject({ databases: [`${OWN}old`], namespaces: [`${OWN}old`], removed: [] });
  });

  test("keeps the preview of a branch that is opened while the command runs", async () => {
    const account = fillAccount([`${OWN}old`]);
    await removeOthers(async () => {
      account.databases.push(`${OWN}new`);
      return [];
    }, account);
    expect(account).toMatchObject({ databases: [`${OWN}new`], namespaces: [], removed: ["old"] });
  });

  test("is refused if the repository has no address", async () => {
    const account = fillAccount([`${OWN}old`]);
    const removed = removeOtherPreviews(CONFIGURATION, "", async () => [], account.dependencies);
    await expect(removed).rejects.toThrow("The repository has no remote `origin`");
    expect(account.calls).toEqual([]);
  });
});

describe("the removal of one preview", () => {
  test("removes its stores and nothing else", async () => {
    const account = fillAccount([...FOREIGN, `${OWN}login`, `${OWN}old`]);
    await removeOne("login", account);
    const rest = [...FOREIGN, `${OWN}old`];
    expect(account).toMatchObject({ databases: rest, namespaces: rest, removed: ["login"] });
  });

  test("succeeds if nothing is left of it", async () => {
    const account = fillAccount([], {
      failures: { "wrangler preview delete": "This preview does not exist. [code: 10025]" },
    });
    await removeOne("login", account);
    expect(account.printed.at(-1)).toBe("      the preview login does not exist");
  });

  test.each(["wrangler preview delete", "wrangler d1 delete", "wrangler kv namespace delete"])(
    "is completed by a second run if `%s` fails in the first run",
    async (call) => {
      const account = fillAccount([`${OWN}login`], { failures: { [call]: "broken" } });
      await expect(removeOne("login", account)).rejects.toThrow("broken");
      account.failures = {};
      await removeOne("login", account);
      expect(account).toMatchObject({ databases: [], namespaces: [] });
    },
  );
});

describe("the address of a repository", () => {
  let local: string;
  beforeAll(() => {
    local = createRepository();
  });

  test.each([
    "https://github.com/Owner/counts.git",
    "https://token:x-oauth@github.com/owner/Counts/",
    "git@github.com:owner/counts.git",
    "ssh://git@github.com/owner/counts",
  ])("is the same in a clone of %s", async (origin) =>
    expect(await readOrigin(createRepository(origin))).toBe(ORIGIN),
  );

  test("is empty without a remote", async () => expect(await readOrigin(local)).toBe(""));
});
