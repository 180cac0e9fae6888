import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Finished, finish } from "../../run-command.ts";
import { createFolder } from "../../temporary-folder.ts";

/** What a deployment uses of the repository. */
const FILES = [
  "src",
  "data",
  "tools",
  "wrangler.toml",
  "package.json",
  "tsconfig.json",
  "README.md",
  "LICENSE",
  ".gitignore",
];

/** Instead of a script of npm, this prints the command. Its exit status is NPM_STATUS. */
const NPM = `#!/bin/sh\necho "npm $* with BASE_URL=$BASE_URL"\nexit $NPM_STATUS\n`;

/** A clone of the repository, on the branch `feature/login`, whose commands use the stub of the API. */
export interface Project {
  folder: string;
  env: NodeJS.ProcessEnv;
  /** Starts a Node script of the project, such as `tools/deploy/cli.ts`. */
  start(args: string[], changes?: NodeJS.ProcessEnv): ReturnType<typeof startNode>;
  /** Runs a Node script to its end. */
  run(args: string[], changes?: NodeJS.ProcessEnv): Promise<Finished>;
  /** Runs a Node script on a terminal, and answers questions: what they contain, and what is typed. */
  runOnTerminal(args: string[], answers: [question: string, answer: string][]): Promise<Finished>;
  /** Changes wrangler.toml. */
  configure(change: (text: string) => string): void;
}

/** @param api the origin of the stub of the API */
export function createProject(api: string): Project {
  const folder = join(createFolder(), "project");
  for (const name of FILES) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  git("init", "--quiet", "--initial-branch", "feature/login");
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message", "site: login");
  const home = createFolder();
  const programs = join(home, "programs");
  mkdirSync(programs);
  writeFileSync(join(programs, "npm"), NPM, { mode: 0o755 });
  // Variables of CI would name the branch, the commit or the account.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(CI|GITHUB_.*|WORKERS_CI.*)$/.test(name),
  );
  const env = {
    ...Object.fromEntries(inherited),
    CLOUDFLARE_API_BASE_URL: `${api}/client/v4`,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: "",
    // Where wrangler remembers which account the user chose.
    WRANGLER_CACHE_DIR: join(home, "cache"),
    HOME: home,
    XDG_CONFIG_HOME: home,
    PATH: `${programs}:${process.env.PATH}`,
    NPM_STATUS: "0",
  };
  const start: Project["start"] = (args, changes = {}) => startNode(folder, args, { ...env, ...changes });
  return {
    folder,
    env,
    start,
    run: (args, changes) => finish(start(args, changes)),
    runOnTerminal: (args, answers) => answer(folder, args, env, answers),
    configure(change) {
      const file = join(folder, "wrangler.toml");
      writeFileSync(file, change(readFileSync(file, "utf8")));
    },
  };
}

function startNode(cwd: string, args: string[], env: NodeJS.ProcessEnv) {
  return spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"], env });
}

function answer(cwd: string, args: string[], env: NodeJS.ProcessEnv, answers: [string, string][]) {
  const command = [process.execPath, ...args].join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
    env,
  });
  const left = [...answers];
  let shown = "";
  child.stdout.on("data", (chunk) => {
    shown += chunk;
    const [question, typed] = left[0] ?? [];
    if (question === undefined || !shown.includes(question)) return;
    left.shift();
    shown = "";
    child.stdin.write(String(typed));
  });
  return finish(child);
}
