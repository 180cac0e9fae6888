import { createConformanceProgram, INCOMPLETE } from "../../../tools/conformance/program.ts";
import { type Finished, runInProcess } from "../../run-command.ts";

/** Runs `npm run conformance -- ...` in this process. */
export function runConformance(...args: string[]): Promise<Finished> {
  const program = createConformanceProgram(new AbortController().signal);
  return runInProcess(program, args, { errorStatus: INCOMPLETE });
}
