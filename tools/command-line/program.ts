import { Command, CommanderError, InvalidArgumentError } from "commander";
import project from "../../package.json" with { type: "json" };
import { parseUtcTime } from "../../src/records/utc-time.ts";
import { describeFileError, escapeInvisible } from "../messages.ts";

/** The exit status for an invalid command line. */
export const USAGE_ERROR_STATUS = 2;

/** @param name The name that the user types, such as `npm run data --` */
export function createProgram(name: string): Command {
  return new Command(name).version(project.version).exitOverride();
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

interface RunOptions {
  /** The exit status after an error, 1 by default. */
  errorStatus?: number;
  /** The command line. By default, the arguments of this process. */
  args?: string[];
  /** For a command that can finish early: the first signal aborts this controller. A second signal ends the process immediately. */
  stop?: AbortController;
}

/**
 * Runs a program. Errors are printed on standard error, without a stack. A signal ends the process with 128 plus the number of the
 * signal, as shells expect, after the `exit` listeners have run.
 */
export async function runProgram(program: Command, options: RunOptions = {}): Promise<void> {
  const received = handleSignals(options);
  process.stdout.on("error", (error: Error & { code?: string }) => {
    // Ignores a closed pipe: the next command of the pipeline, such as `head`, has stopped reading.
    if (error.code === "EPIPE") return;
    console.error(`Standard output cannot be written: ${describeFileError(error)}`);
    process.exit(options.errorStatus ?? 1);
  });
  // Ignores errors of standard error, because there is nowhere to report them.
  process.stderr.on("error", () => {});
  await runCommand(program, options);
  if (received.status !== undefined) process.exitCode = received.status;
}

/** Runs a program without handling signals. Sets the exit status of this process if the command fails. */
export async function runCommand(
  program: Command,
  { errorStatus = 1, args = process.argv.slice(2), stop }: RunOptions = {},
): Promise<void> {
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof CommanderError) {
      // Commander has printed the error or the help.
      process.exitCode = error.exitCode === 0 ? 0 : USAGE_ERROR_STATUS;
      return;
    }
    // After an interruption, the user needs no message. Messages are escaped, because they can quote control characters of a store.
    if (!(stop?.signal.aborted && error.name === "AbortError"))
      console.error(error.message.split("\n").map(escapeInvisible).join("\n"));
    process.exitCode = errorStatus;
  }
}

const SIGNAL_STATUSES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Signals during this time after the first signal are ignored: one Ctrl-C can arrive twice, from the terminal and from npm. */
const SIGNAL_REPEAT_MS = 500;

/** Ends the process on a signal. With `stop`, the first signal aborts `stop` and sets the exit status in the returned object. */
function handleSignals({ stop }: RunOptions): { status: number | undefined } {
  const received = { status: undefined as number | undefined };
  let receivedAt = 0;
  for (const [signal, status] of Object.entries(SIGNAL_STATUSES)) {
    // Not `once`: without a listener, a second signal would end the process before the `exit` listeners have run.
    process.on(signal, () => {
      if (received.status !== undefined && Date.now() - receivedAt < SIGNAL_REPEAT_MS) return;
      if (!stop || received.status !== undefined) process.exit(status);
      received.status = status;
      receivedAt = Date.now();
      stop.abort(new DOMException(`interrupted by ${signal}`, "AbortError"));
    });
  }
  return received;
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

/** Parses a date or a time in UTC. */
export function parseDate(text: string): Date {
  const time = text.includes(".") ? undefined : parseUtcTime(text);
  if (time !== undefined) return new Date(time);
  throw new InvalidArgumentError("It must be a date in UTC, YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ.");
}

/** Parses a duration such as `30m` or `1h`. */
export function parseMinutes(text: string): number {
  const [, number, unit] = /^(\d+)(m|h)$/.exec(text) ?? [];
  const value = Number(number) * (unit === "h" ? 60 : 1);
  if (value >= 1) return value;
  throw new InvalidArgumentError("It must be a number of minutes or hours, such as 30m or 1h.");
}

/** Paths that `--out` treats as `-`: unlike a file, standard output cannot be replaced in one step. */
const STANDARD_OUTPUT = /^\/(dev\/(stdout|fd\/1)|proc\/self\/fd\/1)$/;

export function parseNonEmpty(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must not be empty.");
}

/** Parses the value of `--out`. Returns `-` for all paths of standard output. */
export function parseOutputPath(text: string): string {
  return STANDARD_OUTPUT.test(text) ? "-" : parseNonEmpty(text);
}
