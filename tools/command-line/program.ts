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
  /** Aborted by the first signal, for a command that then comes to an end of its own; a second signal ends it at once. */
  stop?: AbortController;
}

/**
 * Runs the command that the command line names. What fails is told in a line on standard error; a signal ends the
 * program with 128 and its number, as shells expect, after the work of its `exit` listeners.
 */
export async function runProgram(program: Command, ending: Ending = {}): Promise<void> {
  const { failure = 1, stop } = ending;
  const received = handleSignals(ending);
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Whoever interrupts knows why.
    if (!(stop?.signal.aborted && error.name === "AbortError")) console.error(error.message);
    process.exitCode = failure;
  }
  if (received.status !== undefined) process.exitCode = received.status;
}

const STATUSES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** One signal may come twice, from the terminal and from npm say. */
const ECHO_MS = 500;

/** @returns the exit status for the signal that came, as soon as one did */
function handleSignals({ onInterrupt, stop }: Ending): { status: number | undefined } {
  const received = { status: undefined as number | undefined };
  let receivedAt = 0;
  for (const [signal, status] of Object.entries(STATUSES)) {
    // A handler stays for the second one, which must not cut the work of `exit` listeners short.
    process.on(signal, () => {
      if (received.status !== undefined && Date.now() - receivedAt < ECHO_MS) return;
      onInterrupt?.();
      if (!stop || received.status !== undefined) process.exit(status);
      received.status = status;
      receivedAt = Date.now();
      stop.abort(new DOMException(`interrupted by ${signal}`, "AbortError"));
    });
  }
  return received;
}
