import { runProgram } from "../command-line/program.ts";
import { SURROUNDINGS } from "./dependencies.ts";
import { createDeployProgram } from "./program.ts";

await runProgram(createDeployProgram(SURROUNDINGS));
