import { runProgram } from "../../../tools/command-line/program.ts";
import { SURROUNDINGS } from "../../../tools/deploy/dependencies.ts";
import { createDeployProgram } from "../../../tools/deploy/program.ts";

// Runs a command of deployment for another folder: `node run-deploy.ts PROJECT deploy ...`. It does not wait between requests, and
// instead of running a script of npm, it prints the command.
const [project = "", ...args] = process.argv.slice(2);

const program = createDeployProgram({
  ...SURROUNDINGS,
  project,
  sleep: async () => {},
  async run(program, args, env) {
    if (program === "wrangler") return SURROUNDINGS.run(program, args, env);
    console.log(`npm ${args.join(" ")} with BASE_URL=${env?.BASE_URL}`);
  },
});

await runProgram(program, { args });
