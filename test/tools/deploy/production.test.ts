import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { deployProduction, findAddress } from "../../../tools/deploy/production.ts";
import { firstCalls, test } from "./stub/fixture.ts";

const DEPLOY = ["wrangler deployments list --json", "wrangler deploy --config FILE"];

describe("npm run deploy", () => {
  test("runs all steps for an empty account", async ({ platform, fixture, dependencies }) => {
    const { origin } = platform.account();
    expect(await deployProduction({}, dependencies)).toEqual({ address: origin, version: "version-1" });
    expect(platform.calls()).toEqual(firstCalls(fixture, "traffic-count-records", DEPLOY));
    expect(fixture.printed.filter((line) => line.startsWith("["))).toEqual([
      "[1/8] check the code",
      "[2/8] find or create the database and the namespace",
      "[3/8] prepare the store",
      "[4/8] load the seed if the store is empty",
      "[5/8] deploy the worker",
      "[6/8] wait for the new version",
      "[7/8] run the HTTP tests",
      "[8/8] check conformance to the specification",
    ]);
    expect(fixture.printed).toContain(`      ${origin} serves version-1`);
  });

  test("creates and loads nothing when it runs again", async ({ platform, fixture, dependencies }) => {
    await deployProduction({}, dependencies);
    const { databases } = platform.account();
    platform.clearCalls();
    expect(await deployProduction({ skipChecks: true }, dependencies)).toMatchObject({
      version: "version-2",
    });
    expect(platform.calls().map((call) => call.split(" --")[0])).toEqual([
      "wrangler d1 list",
      "wrangler kv namespace list",
      "wrangler d1 execute DB",
      "wrangler d1 execute DB",
      "wrangler deployments list",
      "wrangler deploy",
      expect.stringMatching(/^npm run test:live/),
      expect.stringMatching(/^npm run conformance/),
    ]);
    expect(platform.account().databases).toEqual(databases);
    expect(fixture.printed).toContain(`      not loaded: the store contains load ${databases[0]?.load}`);
  });

  test("creates the database in the given region", async ({ platform, dependencies }) => {
    await deployProduction({ skipChecks: true, location: "weur" }, dependencies);
    expect(platform.calls()).toContain("wrangler d1 create traffic-count-records --location weur");
  });

  test("fails in the first step if there are uncommitted changes", async ({
    platform,
    fixture,
    dependencies,
  }) => {
    await writeFile(join(fixture.repository, "file"), "changed");
    await expect(deployProduction({}, dependencies)).rejects.toThrow(
      /^Step 1 of 8 failed: check the code\.\nThere are uncommitted changes:\n ?M file\n\nCommit your changes/,
    );
    expect(platform.calls()).toEqual([]);
    await deployProduction({ skipChecks: true }, dependencies);
    expect(platform.calls(), "tagged as dirty").toContainEqual(
      expect.stringMatching(`^wrangler deploy .* --tag ${fixture.commit}-dirty `),
    );
  });

  test.for<[call: string, step: number, reason: string, hint: string]>([
    ["npm run types", 1, "npm run types failed", "Nothing was deployed"],
    ["wrangler d1 list", 2, "broken", "CLOUDFLARE_API_TOKEN"],
    ["wrangler d1 create", 2, "broken", "Nothing was deployed"],
    ["wrangler kv namespace list", 2, "broken", "Nothing was deployed"],
    ["wrangler kv namespace create", 2, "broken", "Nothing was deployed"],
    ["wrangler d1 migrations", 3, "broken", "If a migration failed"],
    ["wrangler d1 execute DB --yes --file", 4, "broken", "changes nothing that is served"],
    ["wrangler deploy ", 5, "broken", "Nothing was deployed."],
    ["npm run test:live", 7, "npm run test:live failed", "run `npm run rollback`"],
    ["npm run conformance", 8, "npm run conformance failed", "run `npm run rollback`"],
  ])(
    "stops with a hint if `%s` fails, and the next run completes the deployment",
    async ([call, step, reason, hint], { platform, dependencies }) => {
      platform.change(({ failures }) => {
        failures[call] = "broken";
      });
      const failure = await deployProduction({}, dependencies).catch(String);
      expect(failure).toMatch(new RegExp(`^Error: Step ${step} of 8 failed: `));
      expect(failure).toContain(reason);
      expect(failure).toContain(hint);
      const calls = platform
        .calls()
        .filter((made) => !/^wrangler (deployments list|d1 execute.*json)/.test(made));
      expect(calls.at(-1), "no step after it").toMatch(new RegExp(`^${call}`));

      const before = platform.account();
      platform.change((account) => {
        account.failures = {};
      });
      await deployProduction({ skipChecks: true }, dependencies);
      const { databases, namespaces } = platform.account();
      expect([databases.length, namespaces.length]).toEqual([1, 1]);
      const loaded = before.databases[0]?.load;
      if (loaded !== undefined) expect(databases[0]?.load, "not loaded again").toBe(loaded);
    },
  );

  test.for<[failure: string, advice: string]>([
    ["You have exceeded the limit of cron triggers. [code: 10072]", "The account has no cron trigger left."],
    [
      "You can register a workers.dev subdomain here: https://dash.cloudflare.com",
      "Choose one in the dashboard",
    ],
    ["Routes are broken.", "The new version of the code, version-2, is served already."],
  ])(
    "reports the served version if `wrangler deploy` uploads the code and then fails with %j",
    async ([failure, advice], { platform, dependencies }) => {
      await deployProduction({ skipChecks: true }, dependencies);
      platform.change((account) => {
        account.failureAfterUpload = failure;
      });
      const error = await deployProduction({ skipChecks: true }, dependencies).catch(String);
      expect(error).toContain(failure);
      expect(error).toContain(advice);
      expect(error).toContain("The new version of the code, version-2, is served already.");
      expect(error).not.toContain("still served");
    },
  );

  test("reports the version that is still served if `wrangler deploy` fails before the upload", async ({
    platform,
    dependencies,
  }) => {
    await deployProduction({ skipChecks: true }, dependencies);
    platform.change(({ failures }) => {
      failures["wrangler deploy "] = "broken";
    });
    await expect(deployProduction({ skipChecks: true }, dependencies)).rejects.toThrow(
      "The previous version of the code, version-1, is still served.",
    );
  });

  test("does not load the seed if the database does not respond", async ({ platform, dependencies }) => {
    await deployProduction({}, dependencies);
    const { databases } = platform.account();
    platform.change(({ failures }) => {
      failures["wrangler d1 execute DB --yes --json"] = "Network connection lost";
    });
    await expect(deployProduction({}, dependencies)).rejects.toThrow(
      /^Step 3 of 8 failed: .*Network connection lost.*The loaded records are unchanged/s,
    );
    expect(platform.account().databases).toEqual(databases);
  });

  test("writes the ids to a file that is not committed", async ({ fixture, dependencies }) => {
    await deployProduction({ skipChecks: true }, dependencies);
    const written = await readFile(join(fixture.configFolder, "traffic-count-records.json"), "utf8");
    expect(JSON.parse(written)).toMatchObject({
      name: "traffic-count-records",
      d1_databases: [{ database_id: "id-of-traffic-count-records" }],
      kv_namespaces: [{ id: "id-of-traffic-count-records-kv" }],
    });
  });

  test("waits for the deployed version at the given address", async ({ platform, dependencies }) => {
    const versions = ["version-0", "version-0", "version-1", "version-0", "version-1", "version-1"];
    let requests = 0;
    platform.respondHealth = () => {
      requests++;
      return { status: 200, body: JSON.stringify({ code: { id: versions.shift() ?? "version-1" } }) };
    };
    const url = platform.account().origin.replace("127.0.0.1", "localhost");
    expect(await deployProduction({ skipChecks: true, url }, dependencies)).toMatchObject({ address: url });
    expect(requests, "until three consecutive responses come from the new version").toBe(7);
  });

  test.for<[status: number, body: object, message: RegExp]>([
    [
      200,
      { code: { id: "version-0" } },
      /still reports version version-0 instead of version-1\.\n\nThe worker is deployed/,
    ],
    [503, {}, /healthz failed: status 503\n/],
  ])(
    "fails if /healthz responds with %i %j until the timeout",
    async ([status, body, message], { platform, dependencies }) => {
      platform.respondHealth = () => ({ status, body: JSON.stringify(body) });
      await expect(deployProduction({ skipChecks: true }, dependencies)).rejects.toThrow(message);
      expect(platform.calls().at(-1)).toMatch(/^wrangler deploy/);
    },
  );

  test("waits past the timeout if the last response was correct", async ({ fixture, dependencies }) => {
    const wait = { timeout: -1, interval: 10 };
    await deployProduction({ skipChecks: true }, { ...dependencies, wait });
    expect(fixture.printed).toContainEqual(expect.stringMatching(/ serves version-1$/));
  });

  test("succeeds if /healthz reports no version, and prints that the version is unknown", async ({
    platform,
    fixture,
    dependencies,
  }) => {
    platform.respondHealth = () => ({ status: 200, body: "{}" });
    await deployProduction({ skipChecks: true }, dependencies);
    expect(fixture.printed).toContain(
      `      ${platform.account().origin} responds, but does not report its version`,
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
