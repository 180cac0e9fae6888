import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** Reads the address that a server prints: the group of the pattern. */
export async function readAddress(output: Readable, pattern: RegExp): Promise<string> {
  const lines = [];
  for await (const line of createInterface(output)) {
    const [, address] = pattern.exec(line) ?? [];
    if (address) return address;
    lines.push(line);
  }
  throw new Error(`The server has ended:\n${lines.join("\n")}`);
}
