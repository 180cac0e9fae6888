import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { failSkippedTests } from "./test/support/fail-skipped-tests.ts";
import { createFolder } from "./test/support/temporary-folder.ts";

/** The tests that may start processes. All other tests but those of the browser are quick, and fail if they start a process. */
const processes = "test/**/*.process.test.ts";
const browser = "test/**/*.browser.test.ts";

const isInCi = Boolean(process.env.CI) && process.env.CI !== "false";

// All temporary files of a run are in one folder, so that no test has to remove files.
const folder = createFolder();
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.env.TMPDIR = folder;
process.env.NODE_COMPILE_CACHE ??= resolve("node_modules/.cache/node");
// Without this variable, each start of the worker would send a request to Cloudflare.
process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";

export default defineConfig({
  test: {
    // A timeout only ends a test that hangs: it continues nevertheless, and can disturb the next tests. The slowest test takes 25 seconds
    // on two cores, except for those with a timeout of their own, which start wrangler many times.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    // More workers than cores, because a Vitest worker often waits for a process or for the expiry of a cached snapshot.
    maxWorkers: Math.max(4, Math.ceil(1.5 * availableParallelism())),
    // Not isolated, so that the test files share wrangler and the code under test instead of loading them again.
    isolate: false,
    reporters: [...configDefaults.reporters, ...(isInCi ? [failSkippedTests] : [])],
    // Vitest takes the projects in the order of their names, and of each project the largest files first. So long tests start early, and
    // the short ones of `quick` keep all workers busy until the end.
    projects: [
      {
        extends: true,
        test: {
          name: "quick",
          include: ["test/**/*.test.ts"],
          exclude: [browser, processes],
          setupFiles: ["test/support/restore-globals.ts", "test/support/no-processes.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "process",
          include: [processes],
          setupFiles: "test/support/restore-globals.ts",
          globalSetup: ["test/support/bundled-worker.ts", "test/tools/package/built-package.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: [browser],
          // Isolated, because each file connects to the browser when it imports visit.ts.
          isolate: true,
          globalSetup: ["test/support/bundled-worker.ts", "test/browser/setup.ts"],
        },
      },
    ],
  },
});
