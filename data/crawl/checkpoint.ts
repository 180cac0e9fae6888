import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { CrawlState } from "./state.ts";

/** Where a crawl into this file keeps how far it is. */
export function checkpointPath(out: string): string {
  return `${out}.progress`;
}

/**
 * Reads how far the crawl into a file came.
 * @returns undefined if there is none
 * @throws Error if the progress file is not one
 */
export function readCheckpoint(out: string): CrawlState | undefined {
  const path = checkpointPath(out);
  try {
    const text = readFileSync(path, "utf8");
    const { known, ...state } = JSON.parse(text);
    return CrawlState.parse({ ...state, known: new Map(known) });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new Error(`${path} cannot be understood; --restart begins anew`, { cause: error });
  }
}

/** Replaces the progress file as a whole: whenever the machine stops, there is the old one or the new one. */
export function writeCheckpoint(out: string, state: CrawlState): void {
  const path = checkpointPath(out);
  const next = `${path}.new`;
  const file = openSync(next, "w");
  try {
    writeSync(file, `${JSON.stringify({ ...state, known: [...state.known] })}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(next, path);
}

export function removeCheckpoint(out: string): void {
  rmSync(checkpointPath(out), { force: true });
}
