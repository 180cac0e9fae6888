import { print } from "../command-line/print.ts";
import { getMessage } from "../messages.ts";
import { describeSnapshot } from "./info.ts";
import { printWait } from "./load.ts";
import { formatDataCommand, type StoreAccess } from "./stores/configuration.ts";
import { withLock, withStore } from "./stores/open-store.ts";
import { UnknownOutcomeError, undoLoad } from "./stores/writer.ts";

/**
 * Serves the records again that the last load has replaced.
 * @throws Error if there are none, if another process writes to the same local store, or if the store fails
 */
export function undo(choice: StoreAccess): Promise<void> {
  return withLock(choice, () =>
    withStore(choice, "write", async ({ name, location, store }) => {
      const { undone, restored } = await undoLoad(store, { onWait: printWait }).catch((cause) => {
        if (!(cause instanceof UnknownOutcomeError)) throw cause;
        const advice = `To see which records are loaded, run: ${formatDataCommand("info", choice)}`;
        throw new Error(`${getMessage(cause)}\n${advice}`, { cause });
      });
      if (undone.id === null || restored === undefined)
        throw new Error(
          `There is nothing to undo in the ${name} store (${location}): replaced records are kept until the next load, or an undo.`,
        );
      print(`Restored ${describeSnapshot(restored)}, instead of ${describeSnapshot(undone)}.`);
    }),
  );
}
