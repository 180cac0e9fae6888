import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { deployProduction, findAddress } from "../../../tools/deploy/production.ts";
import { firstCalls, test } from "./stub/rehearsal.ts";

const DEPLOY = "wrangler deploy --config FILE";

describe("npm run deploy", () => {
  test("into an empty account checks, makes the stores, migrates, loads the seed, deploys, waits and tests", async ({
    platform,
    rehearsal,
    surroundings,
  }) => {
    const { origin } = platform.account();
    expect(await deployProduction({}, surroundings)).toEqual({ address: origin, version: "version-1" });
    expect(platform.calls()).toEqual(firstCalls(rehearsal, "traffic-count-records", DEPLOY));
    expect(rehearsal.said.filter((line) => line.startsWith("["))).toEqual([
      "[1/8] check the code",
      "[2/8] find the database and the namespace",
      "[3/8] bring the store up to date",
      "[4/8] load the seed, if nothing is loaded",
      "[5/8] deploy the worker",
      "[6/8] wait for the new version",
      "[7/8] run the HTTP suite",
      "[8/8] hold it against the specification",
    ]);
    expect(rehearsal.said).toContain(`      ${origin} answers with version-1`);
  });

  test("a second time makes and loads nothing", async ({ platform, rehearsal, surroundings }) => {
    await deployProduction({}, surroundings);
    const { databases } = platform.account();
    platform.forgetCalls();
    expect(await deployProduction({ skipChecks: true }, surroundings)).toMatchObject({
      version: "version-2",
    });
    expect(platform.calls().map((call) => call.split(" --")[0])).toEqual([
      "wrangler d1 list",
      "wrangler kv namespace list",
      "wrangler d1 execute DB",
      "wrangler d1 execute DB",
      "wrangler deploy",
      expect.stringMatching(/^npm run test:live/),
      expect.stringMatching(/^npm run conformance/),
    ]);
    expect(platform.account().databases).toEqual(databases);
    expect(rehearsal.said).toContain(`      version ${databases[0]?.version} is loaded and stays`);
  });

  test("of a tree that is not as committed stops before it calls anything", async ({
    platform,
    rehearsal,
    surroundings,
  }) => {
    await writeFile(join(rehearsal.repository, "file"), "changed");
    await expect(deployProduction({}, surroundings)).rejects.toThrow(
      /^Step 1 of 8 failed: check the code\.\nThe tree is not as committed:\n ?M file\n\nCommit what is to be deployed/,
    );
    expect(platform.calls()).toEqual([]);
    await deployProduction({ skipChecks: true }, surroundings);
    expect(platform.calls(), "tagged as what it is").toContainEqual(
      expect.stringMatching(`^wrangler deploy .* --tag ${rehearsal.commit}-dirty `),
    );
  });

  test.for<[call: string, step: number, reason: string, advice: string]>([
    ["npm run types", 1, "npm run types failed", "nothing was deployed"],
    ["wrangler d1 list", 2, "broken", "CLOUDFLARE_API_TOKEN"],
    ["wrangler d1 create", 2, "broken", "Nothing was deployed"],
    ["wrangler kv namespace list", 2, "broken", "Nothing was deployed"],
    ["wrangler kv namespace create", 2, "broken", "Nothing was deployed"],
    ["wrangler d1 migrations", 3, "broken", "If the message names a migration"],
    ["wrangler d1 execute DB --yes --json --command INSERT", 4, "broken", "leaves nothing half-loaded"],
    ["wrangler d1 execute DB --yes --file", 4, "broken", "leaves nothing half-loaded"],
    ["wrangler deploy", 5, "broken", "The code that serves is the old one"],
    ["npm run test:live", 7, "npm run test:live failed", "`npm run rollback` goes back"],
    ["npm run conformance", 8, "failed", "`npm run rollback` goes back"],
  ])(
    "stops where `%s` fails, says what to do, and goes on from there",
    async ([call, step, reason, advice], { platform, surroundings }) => {
      platform.change(({ failing }) => {
        failing[call] = "broken";
      });
      const failure = await deployProduction({}, surroundings).catch(String);
      expect(failure).toMatch(new RegExp(`^Error: Step ${step} of 8 failed: `));
      expect(failure).toContain(reason);
      expect(failure).toContain(advice);
      expect(platform.calls().at(-1), "nothing after it").toMatch(new RegExp(`^${call}`));

      const before = platform.account();
      platform.change((account) => {
        account.failing = {};
      });
      await deployProduction({ skipChecks: true }, surroundings);
      const { databases, namespaces } = platform.account();
      expect([databases.length, namespaces.length]).toEqual([1, 1]);
      const loaded = before.databases[0]?.version;
      if (loaded !== undefined) expect(databases[0]?.version, "not loaded again").toBe(loaded);
    },
  );

  test("never takes a database that does not answer for an empty one", async ({ platform, surroundings }) => {
    await deployProduction({}, surroundings);
    const { databases } = platform.account();
    platform.change(({ failing }) => {
      failing["wrangler d1 execute DB --yes --json"] = "Network connection lost";
    });
    await expect(deployProduction({}, surroundings)).rejects.toThrow(
      /^Step 3 of 8 failed: .*Network connection lost.*What is loaded stays/s,
    );
    expect(platform.account().databases).toEqual(databases);
  });

  test("keeps the ids in a file that is not committed", async ({ rehearsal, surroundings }) => {
    await deployProduction({ skipChecks: true }, surroundings);
    const written = await readFile(join(rehearsal.deployments, "traffic-count-records.json"), "utf8");
    expect(JSON.parse(written)).toMatchObject({
      name: "traffic-count-records",
      d1_databases: [{ database_id: "id-of-traffic-count-records" }],
      kv_namespaces: [{ id: "id-of-traffic-count-records-kv" }],
    });
  });

  test("waits for the version that it deployed, at the address that it was given", async ({
    platform,
    surroundings,
  }) => {
    const answers = ["version-0", "version-0", "version-1", "version-0", "version-1", "version-1"];
    let asked = 0;
    platform.answerHealth = () => {
      asked++;
      return { status: 200, body: JSON.stringify({ code: { id: answers.shift() ?? "version-1" } }) };
    };
    const url = platform.account().origin.replace("127.0.0.1", "localhost");
    expect(await deployProduction({ skipChecks: true, url }, surroundings)).toMatchObject({ address: url });
    expect(asked, "three of the new version in a row").toBe(7);
  });

  test.for<[status: number, body: object, message: RegExp]>([
    [
      200,
      { code: { id: "version-0" } },
      /still answers with version version-0, not with version-1\.\n\nDeploy again/,
    ],
    [503, {}, /does not answer as it should: status 503\n/],
  ])(
    "fails if after a while /healthz answers %i %j",
    async ([status, body, message], { platform, surroundings }) => {
      platform.answerHealth = () => ({ status, body: JSON.stringify(body) });
      await expect(deployProduction({ skipChecks: true }, surroundings)).rejects.toThrow(message);
      expect(platform.calls().at(-1)).toMatch(/^wrangler deploy/);
    },
  );

  test("hears right answers out, although time is up", async ({ rehearsal, surroundings }) => {
    const waiting = { timeout: -1, interval: 10 };
    await deployProduction({ skipChecks: true }, { ...surroundings, waiting });
    expect(rehearsal.said).toContainEqual(expect.stringMatching(/ answers with version-1$/));
  });

  test("goes on, and says so, if /healthz tells no version", async ({
    platform,
    rehearsal,
    surroundings,
  }) => {
    platform.answerHealth = () => ({ status: 200, body: "{}" });
    await deployProduction({ skipChecks: true }, surroundings);
    expect(rehearsal.said).toContain(
      `      ${platform.account().origin} answers, but does not say with which version`,
    );
  });
});

test.each([
  [["https://a.b.workers.dev"], "https://a.b.workers.dev"],
  [["schedule: 0 * * * *", "https://a.b.workers.dev"], "https://a.b.workers.dev"],
  [["https://a.b.workers.dev", "counts.example (custom domain)"], "https://counts.example"],
  [["counts.example/* (zone name: counts.example)"], undefined],
  [[], undefined],
])("the address among %j is %s", (targets, address) => expect(findAddress(targets)).toBe(address));
