import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { PATH } from "./exchange.ts";

/** Reads the address that a server prints: the group of the pattern. */
export async function readAddress(output: Readable, pattern: RegExp): Promise<string> {
  const lines = [];
  try {
    for await (const line of createInterface(output)) {
      const [, address] = pattern.exec(line) ?? [];
      if (address) return address;
      lines.push(line);
    }
  } finally {
    output.resume(); // A full pipe would block the server.
  }
  throw new Error(`The server has ended:\n${lines.join("\n")}`);
}

/** Waits until a running worker serves the current records of its store. */
export async function untilServed(origin: string): Promise<void> {
  const { snapshot } = Object(await (await fetch(`${origin}/healthz`)).json());
  const readTag = async () => String((await fetch(origin + PATH)).headers.get("ETag"));
  while (!(await readTag()).startsWith(`"${snapshot.id}-`)) await setTimeout(100);
}
