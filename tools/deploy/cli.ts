import { createProgram, runProgram } from "../command-line/program.ts";
import { deploy } from "./deploy.ts";
import { deployPreview } from "./preview.ts";

const program = createProgram("npm run");
program
  .command("deploy")
  .description("deploy to production: prepare the store, deploy the worker, wait for it and test it")
  .action(() => deploy());
program
  .command("preview")
  .description("deploy a preview of the branch, wait for it and test it")
  .option("--name <name>", "name of the preview (default: that of the branch)")
  .action(({ name }) => deployPreview(name));
await runProgram(program);
