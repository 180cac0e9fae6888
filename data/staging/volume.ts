import { statSync } from "node:fs";

/** How much of the files of a load has been read. */
export interface Volume {
  /** Takes the bytes of a piece that has been read. */
  onRead(bytes: number): void;
  /**
   * Takes how many rows have been read, gives how many there will be if the rest is like them; undefined if nobody
   * knows how long the input is.
   */
  estimate(rows: number): number | undefined;
}

/** Takes the files of a load; `-`, a pipe and what is not there have no size. */
export function measureVolume(files: readonly string[]): Volume {
  let all = 0;
  for (const file of files) {
    const found = file === "-" ? undefined : statSync(file, { throwIfNoEntry: false });
    all += found?.isFile() ? found.size : Number.NaN;
  }
  let read = 0;
  return {
    onRead(bytes) {
      read += bytes;
    },
    estimate: (rows) => (Number.isNaN(all) || read === 0 ? undefined : Math.round((rows * all) / read)),
  };
}
