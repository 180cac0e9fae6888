import { afterEach, vi } from "vitest";

// Restores what a test has replaced. The test files of a worker share their globals (vitest.config.ts).
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
