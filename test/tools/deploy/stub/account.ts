import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The state of the platform, which the stubs of wrangler and npm read and change. */
export interface Account {
  databases: { uuid: string; name: string; version?: number }[];
  namespaces: { id: string; title: string; pairs?: Record<string, string> }[];
  /** Names of the worker's previews. */
  previews: string[];
  /** Ids of the worker's versions; the last one is served. */
  versions: string[];
  /** The address of the worker. */
  origin: string;
  /** The error message of `wrangler deploy` after it has uploaded the code, if it fails then. */
  failureAfterUpload?: string;
  /** Calls that fail: the beginning of the call, and the error message. */
  failures: Record<string, string>;
}

/** Logs a call of a stub, and ends the process with an error if the call is in `failures`. */
export function recordCall(folder: string, program: string, args: string[]): void {
  const call = [program, ...args.map((arg) => (arg.startsWith("/") ? "FILE" : arg))].join(" ");
  appendFileSync(join(folder, "calls.log"), `${call.replaceAll("\n", " ")}\n`);
  const failure = Object.entries(readAccount(folder).failures).find(([beginning]) =>
    call.startsWith(beginning),
  );
  if (!failure) return;
  console.error(failure[1]);
  process.exit(1);
}

export function readAccount(folder: string): Account {
  return JSON.parse(readFileSync(join(folder, "account.json"), "utf8"));
}

export function writeAccount(folder: string, account: Account): void {
  writeFileSync(join(folder, "account.json"), JSON.stringify(account));
}
