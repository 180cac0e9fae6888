import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { listen } from "./listen.ts";

export interface Served {
  origin: string;
  close(): Promise<void>;
  /** Stops npm, as a supervisor does that knows no other process. */
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
 * Runs `npm start` as a person would, on a free port, with the collection kept in a folder. By default, wrangler looks for a
 * free port for its inspector before it listens, so two that start at the same time can choose the same port.
 */
export async function serve(folder: string, ...args: string[]): Promise<Served> {
  const port = await findPort();
  const options = ["--port", String(port), "--inspector-port", "0", "--persist-to", folder, ...args];
  const server = spawn("npm", ["start", "--", ...options], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collect(server);
  const origin = `http://localhost:${port}`;
  while (!(await answers(origin))) {
    if (server.exitCode !== null) throw new Error(`npm start ended with ${server.exitCode}:\n${output()}`);
    await setTimeout(20);
  }
  return { origin, close: () => stop(server), terminate: () => terminate(server) };
}

function collect(child: ChildProcess): () => string {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  }
  return () => output;
}

async function answers(origin: string): Promise<boolean> {
  return fetch(origin).then(
    () => true,
    () => false,
  );
}

/** npm, the command and workerd are one process group, so all of them receive the signal of ctrl-C. */
async function stop(server: ChildProcess): Promise<void> {
  const ended = once(server, "close");
  if (server.pid !== undefined) process.kill(-server.pid, "SIGINT");
  await ended;
}

async function terminate(server: ChildProcess): Promise<void> {
  const ended = once(server, "close");
  server.kill("SIGTERM");
  await ended;
}

/**
 * Finds a free port below the range from which Linux chooses if a server listens on any port. So no other server gets the
 * port before it is used.
 */
async function findPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    const listening = await listen(createServer(), port).catch(() => undefined);
    if (listening === undefined) continue;
    await listening.close();
    return port;
  }
}

/** How long an instance trusts its copy of the state in D1 or KV, in milliseconds. */
export const TRUST_MS = 5_000;

/** Waits as long as an instance trusts its copy of the state. */
export function untilFresh(): Promise<void> {
  return setTimeout(TRUST_MS);
}

/** Waits until a running worker serves the state of its store. It reads the store again if a client names that state. */
export async function untilServed(origin: string): Promise<void> {
  const { state } = Object(await (await fetch(`${origin}/healthz`)).json());
  const url = `${origin}/api/tf1/records/?as_of=${state.count}-${state.load}`;
  while (!(await fetch(url)).ok) await setTimeout(100);
}
