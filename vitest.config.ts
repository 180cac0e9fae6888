import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // A test may start workerd, wrangler or npm, which takes seconds on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
