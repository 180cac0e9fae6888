import { runProgram } from "../command-line/program.ts";
import { createConformanceProgram, INCOMPLETE } from "./program.ts";

const stop = new AbortController();

await runProgram(createConformanceProgram(stop.signal), { errorStatus: INCOMPLETE, stop });
