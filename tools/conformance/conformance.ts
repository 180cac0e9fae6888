import { runProgram } from "../command-line/program.ts";
import { createCheckCommand } from "./check-command.ts";

await runProgram(createCheckCommand("npm run conformance --"));
