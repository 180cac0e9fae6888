import type { Reporter } from "vitest/node";

/** In CI, skipped tests are an error. A test is skipped if a program that it needs is missing. */
export const failSkippedTests: Reporter = {
  onTestRunEnd(modules) {
    const skipped = modules.filter(({ children }) => [...children.allTests("skipped")].length > 0);
    if (skipped.length === 0) return;
    const files = skipped.map(({ relativeModuleId }) => relativeModuleId);
    console.error(
      `\nIn CI, no test may be skipped. Install the programs that CONTRIBUTING.md lists for: ${files.join(", ")}\n`,
    );
    process.exitCode = 1;
  },
};
