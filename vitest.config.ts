import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import type { Reporter, TestModule } from "vitest/node";
import { findQuickFiles } from "./test/quick-files.ts";

const browser = "test/browser/**/*.test.ts";
const quick = findQuickFiles();

/** A test is skipped if a program that it needs is missing. In CI, that is an error. */
const refuseSkipped: Reporter = {
  onTestRunEnd(modules) {
    const files = modules.filter(hasSkipped).map(({ relativeModuleId }) => relativeModuleId);
    if (files.length === 0) return;
    console.error(
      `\nIn CI, no test may be skipped. Install what docs/testing.md names for: ${files.join(", ")}\n`,
    );
    process.exitCode = 1;
  },
};

function hasSkipped({ children }: TestModule): boolean {
  return !children.allTests("skipped").next().done;
}

const isInCi = Boolean(process.env.CI) && process.env.CI !== "false";

// Tests import modules of the worker, which import what the build writes.
execFileSync(process.execPath, ["tools/build-assets.ts"]);

export default defineConfig({
  test: {
    // A test may start wrangler or npm many times in a row, each of which takes seconds on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A worker often waits: for a process that it started, or until a state is no longer fresh.
    maxWorkers: Math.max(4, Math.ceil(1.5 * availableParallelism())),
    // With a process for each file, each would load wrangler and the code under test again.
    isolate: false,
    globalSetup: "test/setup.ts",
    reporters: [...configDefaults.reporters, ...(isInCi ? [refuseSkipped] : [])],
    projects: [
      { extends: true, test: { name: "quick", include: quick, setupFiles: "test/no-processes.ts" } },
      {
        extends: true,
        test: {
          name: "service",
          include: ["test/**/*.test.ts"],
          exclude: [browser, ...quick],
          globalSetup: ["test/bundled-worker.ts", "test/tools/package/built.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: [browser],
          // Each file connects to the browser when it imports visit.ts.
          isolate: true,
          globalSetup: ["test/bundled-worker.ts", "test/browser/setup.ts"],
        },
      },
    ],
  },
});
