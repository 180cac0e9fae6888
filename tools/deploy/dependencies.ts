import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { loadSeed } from "../../data/load-seed.ts";
import type { StoreChoice } from "../../data/stores/store-choice.ts";
import { PROJECT, runWrangler, spawnWrangler } from "../../data/stores/wrangler.ts";

/** Runs a command of wrangler without prompts. It returns what wrangler prints, and throws that if wrangler fails. */
export type Wrangler = (args: string[]) => Promise<string>;

/** What a deployment uses of its surroundings. */
export interface Dependencies {
  wrangler: Wrangler;
  /** Runs a program in the terminal of this process, and throws if it fails. */
  run(program: "npm" | "wrangler", args: string[], env?: Record<string, string>): Promise<void>;
  /** Brings the tables of a store up to date, and loads the seed if the store is empty. */
  loadSeed(choice: StoreChoice): Promise<void>;
  print(line: string): void;
  sleep(milliseconds: number): Promise<unknown>;
  /** The folder of the git repository and of wrangler.toml. */
  project: string;
  /** Whether wrangler can ask the user. */
  isTerminal: boolean;
}

const run: Dependencies["run"] = async (program, args, env = {}) => {
  const child =
    program === "wrangler"
      ? spawnWrangler(args, env)
      : spawn(program, args, { cwd: PROJECT, stdio: "inherit", env: { ...process.env, ...env } });
  // If a signal ends this process, the program must not continue to write.
  const stop = () => child.kill();
  process.once("exit", stop);
  const [status] = await once(child, "close").finally(() => process.off("exit", stop));
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed. Its output is above.`);
};

/** The surroundings of a command that a person or CI runs. */
export const SURROUNDINGS: Dependencies = {
  wrangler: (args) => runWrangler(args),
  run,
  loadSeed,
  print: console.log,
  sleep: setTimeout,
  project: PROJECT,
  isTerminal: Boolean(process.stdin.isTTY && process.stdout.isTTY && !process.env.CI),
};
