import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the platform holds, as the programs that stand for wrangler and npm see and change it. */
export interface Account {
  databases: { uuid: string; name: string; version?: number }[];
  namespaces: { id: string; title: string; pairs?: Record<string, string> }[];
  /** Names of the worker's previews. */
  previews: string[];
  /** Ids of the worker's versions; the last one serves. */
  versions: string[];
  /** Where the worker is deployed. */
  origin: string;
  /** Calls that fail: what they begin with, and what they then say. */
  failing: Record<string, string>;
}

/** For the programs: notes a call, and fails if it is to. */
export function noteCall(folder: string, program: string, args: string[]): void {
  const call = [program, ...args.map((arg) => (arg.startsWith("/") ? "FILE" : arg))].join(" ");
  appendFileSync(join(folder, "calls.log"), `${call.replaceAll("\n", " ")}\n`);
  const failing = Object.entries(openAccount(folder).failing).find(([beginning]) =>
    call.startsWith(beginning),
  );
  if (!failing) return;
  console.error(failing[1]);
  process.exit(1);
}

export function openAccount(folder: string): Account {
  return JSON.parse(readFileSync(join(folder, "account.json"), "utf8"));
}

export function saveAccount(folder: string, account: Account): void {
  writeFileSync(join(folder, "account.json"), JSON.stringify(account));
}
