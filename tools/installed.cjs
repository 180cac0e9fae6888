// The scripts of package.json run this file first, and it says what is not installed. So it imports no package, and it is JavaScript,
// because an older Node cannot read TypeScript.

const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");

const project = join(__dirname, "..");
const { dependencies, devDependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

/** @returns what is missing, and what to do; undefined if everything is installed */
function findProblem() {
  const names = Object.keys(Object.assign({}, dependencies, devDependencies));
  const missing = names.filter((name) => !existsSync(join(project, "node_modules", name, "package.json")));
  if (missing.length > 0) {
    const others = missing.length > 1 ? ` and ${missing.length - 1} more` : "";
    return `The packages of the project are not all installed: node_modules has no ${missing[0]}${others}. Run \`npm ci\`.`;
  }
  const [needed] = devDependencies.node.split(".");
  const running = process.versions.node;
  if (Number(running.split(".")[0]) >= Number(needed)) return undefined;
  return `The project needs Node ${needed}, and this is Node ${running}. npm installs Node ${needed} unless ignore-scripts is set; run \`npm rebuild node --ignore-scripts=false\`.`;
}

const problem = findProblem();
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}
