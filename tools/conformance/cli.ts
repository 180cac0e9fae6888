import { runCheck } from "./check-command.ts";

await runCheck("npm run conformance --", process.argv.slice(2));
