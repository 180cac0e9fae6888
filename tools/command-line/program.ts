import { Command, CommanderError, InvalidArgumentError } from "commander";
import project from "../../package.json" with { type: "json" };
import { parseUtcTime } from "../../src/records/utc-time.ts";
import { describeError, describeFileError } from "../messages.ts";
import { findDescriptor } from "../paths.ts";
import { escapeLines, printError } from "./print.ts";

const USAGE_ERROR_STATUS = 2;

/** @param name The name that the user types, such as `npm run data --` */
export function createProgram(name: string): Command {
  return new Command(name)
    .version(project.version)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(escapeLines(text)) });
}

/**
 * Changes to the folder in which the user ran npm, because npm runs scripts in the project's folder. Paths on the command line are
 * relative to the user's folder.
 * @param scripts The npm scripts that run this program. Under other scripts, such as `npm test`, the folder does not change.
 */
export function enterUserFolder(...scripts: string[]): void {
  const { npm_lifecycle_event: script = "", INIT_CWD: folder } = process.env;
  if (scripts.includes(script) && folder) process.chdir(folder);
}

const SIGNAL_STATUSES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** What a running program does on a signal. The program can set it at any time. */
export interface SignalActions {
  /** What SIGHUP does, which otherwise ends the program. */
  hangUp?: () => void;
  /** What is done before a signal ends the program. Another signal ends it at once. */
  finish?: () => Promise<void>;
}

/**
 * Runs a program. Errors are printed on standard error; only a bug is printed with its stack. A signal ends the process with 128 plus the
 * number of the signal, as shells expect, after the `exit` listeners have run.
 */
export async function runProgram(program: Command, signals: SignalActions = {}): Promise<void> {
  const receive = async (signal: string, status: number) => {
    if (signal === "SIGHUP" && signals.hangUp) return signals.hangUp();
    const { finish } = signals;
    // So that another signal ends the program at once.
    delete signals.finish;
    await finish?.();
    process.exit(status);
  };
  // A listener on each signal: Node would end the process without its `exit` listeners.
  for (const [signal, status] of Object.entries(SIGNAL_STATUSES))
    process.on(signal, () => void receive(signal, status));
  process.stdout.on("error", (error: Error & { code?: string }) => {
    // Ignores a closed pipe: the next command of the pipeline, such as `head`, has stopped reading.
    if (error.code === "EPIPE") return;
    printError(`Standard output cannot be written: ${describeFileError(error)}`);
    // Not 1: for `conformance`, that means a broken rule.
    process.exit(2);
  });
  // Ignores errors of standard error, because there is nowhere to report them.
  process.stderr.on("error", () => {});
  await runCommand(program, process.argv.slice(2));
}

/** Runs a program without handling signals. Sets the exit status of this process if the command fails. */
export async function runCommand(program: Command, args: string[]): Promise<void> {
  try {
    requireAllOptions(program, args);
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed the error or the help.
      process.exitCode = error.exitCode === 0 ? 0 : USAGE_ERROR_STATUS;
      return;
    }
    printError(describeError(error));
    process.exitCode = 1;
  }
}

export const NPM_ADVICE = 'npm takes options for itself unless they follow "--"';

/**
 * Checks that npm took no option of the command: it leaves most of them in the environment, and passes the other arguments on. Under a
 * script of another project, the options are that script's own.
 */
function requireAllOptions(program: Command, args: string[]): void {
  const { npm_package_name: scriptOwner, npm_lifecycle_event: script } = process.env;
  if (scriptOwner !== project.name) return;
  // The value of a lost option can stand before the name of the command.
  const { options } = program.commands.find((command) => args.includes(command.name())) ?? program;
  const isTaken = (name: string) => `npm_config_${name.replaceAll("-", "_")}` in process.env;
  const isGiven = (name: string) => args.some((arg) => arg.split("=", 1)[0] === `--${name}`);
  // The last four are options of wrangler: if `--dry-run` got lost, the command would deploy.
  const names = [...options.map((option) => option.name()), "config", "dry-run", "env", "name"];
  const lost = names.find((name) => isTaken(name) && !isGiven(name));
  if (lost !== undefined)
    program.error(`error: --${lost} did not arrive. ${NPM_ADVICE}: npm run ${script} -- ... --${lost}`);
}

// Parsers of option values. Commander prints the message of an `InvalidArgumentError` and exits.

export function createWholeNumberParser(min: number, max = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
    throw new InvalidArgumentError(`It must be a whole number, ${range}.`);
  };
}

/** Parses the URL of a service, without a slash at the end. */
export function parseServiceUrl(text: string): string {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname;
  if (isPlain) return url.href.replace(/\/$/, "");
  throw new InvalidArgumentError(
    "It must be a URL such as https://counts.example, without a user, a query or a fragment.",
  );
}

export function parseDate(text: string): Date {
  const time = text.includes(".") ? undefined : parseUtcTime(text);
  if (time !== undefined) return new Date(time);
  throw new InvalidArgumentError("It must be a date in UTC, YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ.");
}

export function parseNonEmpty(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must not be empty.");
}

/** Parses the value of `--out`. Returns `-` for all paths of standard output. */
export function parseOutputPath(text: string): string {
  return findDescriptor(text) === 1 ? "-" : parseNonEmpty(text);
}
