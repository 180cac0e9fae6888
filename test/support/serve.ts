import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { PATH } from "./exchange.ts";

interface Served {
  origin: string;
  close(): Promise<void>;
  /** Stops npm, as a supervisor does that does not know npm's child processes. */
  terminate(): Promise<void>;
}

/** Serves the collection in a folder to the tests of a file or of a group. */
export function useService(folder: string, ...args: string[]): Served {
  const served = {} as Served;
  beforeAll(async () => void Object.assign(served, await serve(folder, ...args)));
  afterAll(() => served.close?.());
  return served;
}

/**
 * Runs npm start, and a process that waits for the end of its input. At the end, the process sends the signal of Ctrl-C to the process
 * group, which contains npm, the command and workerd.
 */
const START = `
  { read -r _; kill -s INT -- -$$; } <&3 >/dev/null 2>&1 &
  exec 3<&- npm start -- "$@"
`;

/** The line that wrangler prints when it is ready. */
const READY = /Ready on (http:\/\/localhost:\d+)\s/;

/**
 * Runs `npm start` as a user would, on a free port, with the collection in a folder. The command ends with this process, even if this
 * process is killed, because the pipe between them is then closed. By default, wrangler looks for a free port for its inspector before
 * it listens, so two commands that start at the same time can choose the same port.
 */
export async function serve(folder: string, ...args: string[]): Promise<Served> {
  const options = ["--port", "0", "--inspector-port", "0", "--persist-to", folder, ...args];
  const server = spawn("bash", ["-c", START, "npm", ...options], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const interrupt = () => void server.stdio[3]?.destroy();
  const ended = once(server, "close");
  server.once("exit", interrupt);
  let output = "";
  for (const stream of [server.stdout, server.stderr]) stream?.on("data", (chunk) => (output += chunk));
  while (!READY.test(output)) {
    if (server.exitCode !== null) throw new Error(`npm start ended with ${server.exitCode}:\n${output}`);
    await setTimeout(20);
  }
  const [, origin = ""] = READY.exec(output) ?? [];
  const endBy = async (end: () => unknown) => {
    end();
    await ended;
  };
  return { origin, close: () => endBy(interrupt), terminate: () => endBy(() => server.kill("SIGTERM")) };
}

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

/** Waits until a running worker serves the current records of its store. */
export async function untilServed(origin: string): Promise<void> {
  const { snapshot } = Object(await (await fetch(`${origin}/healthz`)).json());
  const readTag = async () => String((await fetch(origin + PATH)).headers.get("ETag"));
  while (!(await readTag()).startsWith(`"${snapshot.id}-`)) await setTimeout(100);
}
