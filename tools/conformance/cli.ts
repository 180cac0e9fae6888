import { runProgram } from "../command-line/program.ts";
import { createCheckCommand, INCOMPLETE } from "./check-command.ts";

const stop = new AbortController();

await runProgram(createCheckCommand("npm run conformance --", stop.signal), {
  errorStatus: INCOMPLETE,
  stop,
});
