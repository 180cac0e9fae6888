import { Command } from "commander";

/** The exit status where the command line is not understood. */
export const WRONG_USAGE = 2;

/**
 * Begins a program whose command line commander reads.
 * @param name as a person types it, such as `npm run data --`
 */
export function openProgram(name: string): Command {
  return new Command(name).exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE));
}

/** How a program ends that does not succeed. */
interface Ending {
  /** The exit status after an error, 1 by default. */
  failure?: number;
  /** Says what an interruption leaves behind. */
  onInterrupt?: () => void;
}

/**
 * Runs the command that the command line names. What fails is told in a line on standard error; a signal ends the
 * program with 128 and its number, as shells expect, after the work of its `exit` listeners.
 */
export async function runProgram(
  program: Command,
  { failure = 1, onInterrupt = () => {} }: Ending = {},
): Promise<void> {
  for (const [signal, status] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    // A signal may come twice, from the terminal and from npm say, and the second must not cut that work short.
    process.on(signal, () => {
      onInterrupt();
      process.exit(status);
    });
  }
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    console.error(error.message);
    process.exitCode = failure;
  }
}
