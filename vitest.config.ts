import { execFileSync } from "node:child_process";
import { defineConfig } from "vitest/config";

// Tests import modules of the worker, which import what the build writes.
execFileSync(process.execPath, ["tools/build-assets.ts"]);

export default defineConfig({
  test: {
    // A test may start wrangler or npm many times in a row, each of which takes seconds on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // By default two cores get one worker; most of the time it would wait for a process that it started.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: "service", include: ["test/**/*.test.ts"], exclude: ["test/browser/**"] },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: "test/browser/setup.ts",
        },
      },
    ],
  },
});
