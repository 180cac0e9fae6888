import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Finished, finish } from "./run-command.ts";
import { createFolder } from "./temporary-folder.ts";

/** The folders and files of the repository that the commands use. */
const FOLDERS = ["src", "public", "data", "tools", "docs", "examples"];
const FILES = ["wrangler.toml", "package.json", "tsconfig.json", "README.md", "LICENSE", ".gitignore"];

/** The arguments of `configure` that uncomment `routes` in wrangler.toml. */
export const UNCOMMENT_ROUTES = [/# (?=routes = )/, ""] as const;

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
  const home = createFolder();
  // Variables of CI would name the branch and the commit.
  const isOfCi = ([name]: [string, unknown]) => /^(CI|GITHUB_.*|WORKERS_CI.*)$/.test(name);
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter((variable) => !isOfCi(variable))),
    CLOUDFLARE_API_BASE_URL: `${api}/client/v4`,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: "account",
    HOME: home,
    XDG_CONFIG_HOME: home,
  };
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
    /** Writes the configuration of another project, which wrangler itself would prefer. */
    addOtherConfiguration() {
      const other = { name: "other", main: "other.js", compatibility_date: "2026-01-01" };
      writeFileSync(join(folder, "wrangler.jsonc"), JSON.stringify(other));
      writeFileSync(join(folder, "other.js"), "export default { fetch: () => new Response() };");
    },
    /** Replaces wrangler by a CommonJS program. */
    replaceWrangler(program: string) {
      const module = join(folder, "tools/node_modules/wrangler");
      mkdirSync(module, { recursive: true });
      writeFileSync(join(module, "index.js"), program);
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
