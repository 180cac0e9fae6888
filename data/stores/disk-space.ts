import { setTimeout } from "node:timers/promises";
import type { Store } from "../../src/store/store.ts";
import { DiskFullError, findSpaceProblem, isDiskFull } from "../file-errors.ts";
import { details } from "./details.ts";

/** How long a message of the runtime may take to arrive after the error that it explains. */
const LATE_MS = 100;

/**
 * A write stops when less than this is free: D1 keeps up to 4 MB of writes beside its database, and could not even open it for
 * reading if there were no space to put them into it.
 */
const MIN_FREE_BYTES = 6_000_000;

/**
 * Recognises that the disk of a local store is full. Workerd names the reason of an internal error only in its log, which is
 * shown with `--verbose`.
 */
export function createSpaceGuard(folder: string) {
  let full: string | undefined;
  const log = (message: string) => {
    if (isDiskFull(message)) full ??= message;
    details.print(message);
  };
  /** Replaces an internal error by its reason. */
  const explain = async (error: unknown): Promise<never> => {
    if (full === undefined) await setTimeout(LATE_MS);
    throw full === undefined ? error : new DiskFullError(folder, undefined, { cause: error });
  };
  const requireSpace = () => {
    if (findSpaceProblem(folder, MIN_FREE_BYTES) !== undefined) throw new DiskFullError(folder);
  };
  return {
    /** Options of Miniflare. */
    options: { handleStructuredLogs: ({ message }: { message: string }) => log(message) },
    isDiskFull: () => full !== undefined,
    /** Explains the errors of a store's writes. */
    explainIn: (store: Store): Store => ({
      ...store,
      async writeBlocks(...args) {
        requireSpace();
        return store.writeBlocks(...args).catch(explain);
      },
      switchTo: (...args) => store.switchTo(...args).catch(explain),
      sweep: (...args) => store.sweep(...args).catch(explain),
    }),
  };
}
