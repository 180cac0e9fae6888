import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "live",
    include: ["test/live/deployed.ts"],
    // A deployment that limits how often it is asked makes a test wait.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Each test by its name.
    reporters: ["verbose"],
  },
});
