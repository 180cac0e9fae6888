import { startVitest } from "vitest/node";
import { WRONG_USAGE } from "../../tools/command-line/program.ts";
import { findDeployment, UsageError } from "./deployment.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Scheme, host and port of the deployment that is tested. */
    deployed: string;
  }
}

/** Tests the deployment that BASE_URL names. */
async function main(): Promise<void> {
  const deployed = await findDeployment(process.env.BASE_URL);
  await startVitest("test", [], {
    config: "test/live/vitest.config.ts",
    watch: false,
    provide: { deployed },
  });
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = error instanceof UsageError ? WRONG_USAGE : 1;
});
