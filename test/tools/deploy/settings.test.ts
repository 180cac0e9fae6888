import { expect, test, vi } from "vitest";
import { deletePreview, deployPreview } from "../../../tools/deploy/preview.ts";
import { deployProduction } from "../../../tools/deploy/production.ts";
import type { Surroundings } from "../../../tools/deploy/release.ts";
import { rollBack } from "../../../tools/deploy/rollback.ts";

vi.mock(import("../../../tools/deploy/place.ts"), async (original) => {
  const settings = { vars: { STORE: "d1", PUBLIC_ORIGIN: "counts.example" } };
  const configuration = { name: "counts", ...settings, previews: settings };
  return { ...(await original()), readConfiguration: async () => configuration };
});

const branch = "login";
const stopped = new Error("began");
const surroundings: Surroundings = {
  say() {
    throw stopped;
  },
};

test("settings that are wrong are refused before the first step", async () => {
  const refusal = 'PUBLIC_ORIGIN is "counts.example"';
  await expect(deployProduction({}, surroundings)).rejects.toThrow(refusal);
  await expect(deployPreview({ branch }, surroundings)).rejects.toThrow(refusal);
});

test("they keep nobody from going back, or from removing a preview", async () => {
  await expect(rollBack({}, surroundings)).rejects.toThrow(stopped);
  await expect(deletePreview({ branch }, surroundings)).rejects.toThrow(stopped);
});
