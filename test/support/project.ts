import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { type Finished, finish } from "./run-command.ts";
import { createFolder } from "./temporary-folder.ts";

/** The folders and files of the repository that the commands use. */
const FOLDERS = ["src", "public", "data", "tools", "docs"];
const FILES = ["wrangler.toml", "package.json", "tsconfig.json", "README.md", "LICENSE", ".gitignore"];

/** The arguments of `configure` that uncomment `routes` in wrangler.toml. */
export const UNCOMMENT_ROUTES = [/# (?=routes = )/, ""] as const;

/** What a program in place of wrangler does for a command. */
export interface Answer {
  /** What it prints: a value as JSON. */
  prints?: unknown;
  /** The error that it prints before it fails. */
  fails?: string;
  /** What it reports about a deployment. */
  reports?: object;
  /** Whether it notes its input, and the variable that stops wrangler from asking. */
  asks?: boolean;
  /** Whether it waits until it is stopped. */
  hangs?: boolean;
}

/** Notes its arguments and its end by a signal in a file, and gives the first answer whose name is in the arguments. */
const PROGRAM = `const { appendFileSync, readFileSync } = require("node:fs");
const command = process.argv.slice(2).join(" ").replace(/\\s+/g, " ");
const note = (line) => appendFileSync("calls", line + "\\n");
note(command);
const answers = Object.entries(JSON.parse(readFileSync("answers.json", "utf8")));
const [, { prints, fails, reports, asks, hangs } = {}] = answers.find(([part]) => command.includes(part)) ?? [];
if (reports) appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, JSON.stringify(reports));
if (prints) console.log(JSON.stringify(prints));
if (asks) note(readFileSync(0, "utf8") + ", CI: " + process.env.CI);
if (fails) console.error(fails);
if (hangs) setInterval(() => {}, 1_000);
process.once("SIGTERM", () => process.exit(note("stopped")));
process.exitCode = fails ? 1 : 0;`;

/**
 * Creates a clone of the repository, on the branch `feature/login`, whose commands use a stub of Cloudflare's API.
 * @param api the origin of the stub
 */
export function createProject(api: string) {
  const folder = join(createFolder(), "project");
  for (const name of [...FOLDERS, ...FILES]) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  git("init", "--quiet", "--initial-branch", "feature/login");
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message=-login: add");
  const env = createEnvironment(api);
  /** Starts a Node script of the project, such as `tools/deploy/deploy.ts`. */
  const start = (args: string[], changes?: NodeJS.ProcessEnv, input = "") => {
    const child = spawn(process.execPath, args, { cwd: folder, env: { ...env, ...changes } });
    child.stdin.end(input);
    return child;
  };
  return {
    folder,
    start,
    /** Runs a Node script to its end. */
    async run(...command: Parameters<typeof start>): Promise<Finished> {
      const finished = await finish(start(...command));
      // A command prints these lines only on a slow machine.
      return { ...finished, stderr: finished.stderr.replaceAll(/^Still waiting for `.*\n/gm, "") };
    },
    /** Writes configurations of another project that wrangler itself would prefer: above, beside, and where build tools write theirs. */
    addOtherConfigurations() {
      const other = { name: "other", main: "other.js", compatibility_date: "2026-01-01" };
      const generated = join(folder, ".wrangler/deploy");
      mkdirSync(generated, { recursive: true });
      writeFileSync(join(generated, "config.json"), '{ "configPath": "../../wrangler.jsonc" }');
      writeFileSync(join(folder, "wrangler.jsonc"), JSON.stringify(other));
      writeFileSync(join(folder, "../wrangler.json"), JSON.stringify(other));
      for (const file of ["other.js", "../other.js"])
        writeFileSync(join(folder, file), "export default { fetch: () => new Response() };");
    },
    /** Replaces wrangler by a program with these answers. Returns a function that lists its calls. */
    replaceWrangler(answers: Record<string, Answer>) {
      const modules = join(folder, "node_modules");
      rmSync(modules);
      mkdirSync(join(modules, "wrangler"), { recursive: true });
      for (const name of readdirSync("node_modules").filter((name) => name !== "wrangler"))
        symlinkSync(resolve("node_modules", name), join(modules, name));
      writeFileSync(join(modules, "wrangler/index.js"), PROGRAM);
      writeFileSync(join(folder, "answers.json"), JSON.stringify(answers));
      writeFileSync(join(folder, "calls"), "");
      return () => readFileSync(join(folder, "calls"), "utf8").split("\n").slice(0, -1);
    },
    /** Replaces a part of wrangler.toml. */
    configure(text: string | RegExp, replacement: string) {
      const file = join(folder, "wrangler.toml");
      // Replaced at once, because `wrangler dev` ends if it reads a part of the file.
      writeFileSync(`${file}.new`, readFileSync(file, "utf8").replace(text, replacement));
      renameSync(`${file}.new`, file);
    },
  };
}

function createEnvironment(api: string): NodeJS.ProcessEnv {
  const home = createFolder();
  // Variables of CI would name the branch, the commit or the account.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(CI|GITHUB_.*|WORKERS_CI.*)$/.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    CLOUDFLARE_API_BASE_URL: `${api}/client/v4`,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: "",
    // The folder in which wrangler stores the chosen account.
    WRANGLER_CACHE_DIR: join(home, "cache"),
    HOME: home,
    XDG_CONFIG_HOME: home,
  };
}
