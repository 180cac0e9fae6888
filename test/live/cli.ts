import { startVitest } from "vitest/node";
import { WRONG_USAGE } from "../../tools/command-line/program.ts";
import { type Deployment, findDeployment, UsageError } from "./target.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The deployment that is tested. */
    deployment: Deployment;
  }
}

/** Tests the deployment that BASE_URL names. */
async function main(): Promise<void> {
  const deployment = await findDeployment(process.env.BASE_URL);
  await startVitest("test", [], {
    config: "test/live/vitest.config.ts",
    watch: false,
    provide: { deployment },
  });
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = error instanceof UsageError ? WRONG_USAGE : 1;
});
