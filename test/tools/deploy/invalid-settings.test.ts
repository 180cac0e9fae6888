import { expect, test, vi } from "vitest";
import type { Dependencies } from "../../../tools/deploy/deploy.ts";
import { deletePreview, deployPreview } from "../../../tools/deploy/preview.ts";
import { deployProduction, rollBack } from "../../../tools/deploy/production.ts";

vi.mock(import("../../../tools/deploy/deploy-target.ts"), async (original) => {
  const settings = { vars: { STORE: "d1", PUBLIC_ORIGIN: "counts.example" } };
  const configuration = { name: "counts", ...settings, previews: settings };
  return { ...(await original()), readWranglerToml: async () => configuration };
});

const branch = "login";
const firstStep = new Error("The first step began.");
const dependencies: Dependencies = {
  print() {
    throw firstStep;
  },
};

test("a deployment with invalid settings fails before the first step", async () => {
  const problem = 'PUBLIC_ORIGIN in wrangler.toml is "counts.example"';
  await expect(deployProduction({}, dependencies)).rejects.toThrow(problem);
  await expect(deployPreview({ branch }, dependencies)).rejects.toThrow(problem);
});

test("a rollback and the removal of a preview work with invalid settings", async () => {
  await expect(rollBack({}, dependencies)).rejects.toThrow(firstStep);
  await expect(deletePreview({ branch }, dependencies)).rejects.toThrow(firstStep);
});
