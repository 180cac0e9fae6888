import { runProgram } from "../command-line/program.ts";
import { createDeployProgram } from "./program.ts";
import type { Steps } from "./steps.ts";

let steps: Steps | undefined;
const program = createDeployProgram({
  print: console.log,
  onStart(started) {
    steps = started;
  },
});

await runProgram(program, {
  onInterrupt: () =>
    console.error(
      `\n${steps?.describeInterruption() ?? "Interrupted before the first step. Nothing was changed."}`,
    ),
});
