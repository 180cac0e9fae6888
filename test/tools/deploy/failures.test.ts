import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { deployPreview } from "../../../tools/deploy/preview.ts";
import { deployProduction } from "../../../tools/deploy/production.ts";
import { test } from "./stub/fixture.ts";

const OPTIONS = { skipChecks: true };

test("if Cloudflare refuses the preview, no other step runs, and the next run completes the deployment", async ({
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

test("if the folder for configuration files cannot be created, nothing is loaded", async ({
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

test("if a configuration file cannot be written, nothing is loaded", async ({
  platform,
  dependencies,
  fixture,
}) => {
  await mkdir(join(fixture.configFolder, "traffic-count-records.json"), { recursive: true });
  await expect(deployProduction(OPTIONS, dependencies)).rejects.toThrow(
    /^Step 1 of 7 failed: .*EISDIR.*traffic-count-records\.json/s,
  );
  expect(platform.calls().at(-1)).toBe("wrangler kv namespace list");
});
