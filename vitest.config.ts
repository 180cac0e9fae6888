import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // A test may start wrangler or npm many times in a row, each of which takes seconds on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // By default two cores get one worker; most of the time it would wait for a process that it started.
    maxWorkers: 2,
  },
});
