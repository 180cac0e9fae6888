import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { deployPreview } from "../../../tools/deploy/preview.ts";
import { deployProduction } from "../../../tools/deploy/production.ts";
import { test } from "./stub/fixture.ts";

const OPTIONS = { skipChecks: true };

test("if the preview is refused, nothing else is run, and the next run completes it", async ({
  platform,
  dependencies,
}) => {
  platform.change(({ failures }) => {
    failures["wrangler preview --config"] = "You have reached the limit of previews. [code: 10037]";
  });
  await expect(deployPreview(OPTIONS, dependencies)).rejects.toThrow(
    /^Step 4 of 7 failed: deploy the worker\.\n.*You have reached the limit of previews/s,
  );
  expect(platform.calls().at(-1)).toMatch(/^wrangler preview --config/);
  const loaded = platform.account().databases;
  platform.change((account) => {
    account.failures = {};
  });
  await deployPreview(OPTIONS, dependencies);
  expect(platform.account().databases, "not created or loaded again").toEqual(loaded);
  expect(platform.account().previews).toHaveLength(1);
});

test("a folder for configuration files that cannot be created stops a deployment before anything is loaded", async ({
  platform,
  dependencies,
  fixture,
}) => {
  await writeFile(fixture.configFolder, "a file");
  await expect(deployProduction(OPTIONS, dependencies)).rejects.toThrow(
    /^Step 1 of 7 failed: find or create the database and the namespace\.\n.*(EEXIST|ENOTDIR).*deployments/s,
  );
  expect(platform.calls().at(-1)).toBe("wrangler kv namespace list");
});

test("a configuration file that cannot be written does, too", async ({ platform, dependencies, fixture }) => {
  await mkdir(join(fixture.configFolder, "traffic-count-records.json"), { recursive: true });
  await expect(deployProduction(OPTIONS, dependencies)).rejects.toThrow(
    /^Step 1 of 7 failed: .*EISDIR.*traffic-count-records\.json/s,
  );
  expect(platform.calls().at(-1)).toBe("wrangler kv namespace list");
});
