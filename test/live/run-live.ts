import { startVitest } from "vitest/node";
import { SettingError } from "../../src/bindings.ts";
import { USAGE_ERROR_STATUS } from "../../tools/command-line/program.ts";
import { type Deployment, readDeployment } from "./target.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The deployment that is tested. */
    deployment: Deployment;
  }
}

/** Tests the deployment at BASE_URL, and prints the name of each test. */
async function main(): Promise<void> {
  const deployment = await readDeployment(process.env.BASE_URL);
  await startVitest("test", [], {
    config: false,
    include: ["test/live/deployment-suite.ts"],
    // Tests wait if the deployment has a rate limit.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ["verbose"],
    watch: false,
    provide: { deployment },
  });
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = error instanceof SettingError ? USAGE_ERROR_STATUS : 1;
});
