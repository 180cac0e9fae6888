import { runProgram } from "../command-line/program.ts";
import { createDataProgram } from "./program.ts";

// npm runs scripts in the project's folder. Paths are relative to the folder in which npm was called.
const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env;
if (script === "data" && folder) process.chdir(folder);

// `exit` listeners remove unfinished output. What was served before is still served.
await runProgram(createDataProgram());
