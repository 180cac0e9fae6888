import { createConformanceProgram, INCOMPLETE } from "../../../tools/conformance/program.ts";
import { type Finished, runHere } from "../../run-command.ts";

/** Runs `npm run conformance -- ...` in this process. */
export function runConformance(...args: string[]): Promise<Finished> {
  const program = createConformanceProgram(new AbortController().signal);
  return runHere(program, args, { errorStatus: INCOMPLETE });
}
