import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { SEED_DAYS } from "../../data/seed.ts";
import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import { generateRecords, SEED } from "../../src/generator/records.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { HANGS_AFTER_MS } from "../../src/store/retry.ts";
import { runData } from "../run-command.ts";
import { serve, TRUST_MS } from "../serve.ts";
import { runClients } from "./clients.ts";
import { describeCollection } from "./collection.ts";
import { findRuntimes, sampleMemory } from "./memory.ts";
import { report } from "./report.ts";

// Serves the seed to clients for some minutes, replaces it in the middle, and compares every response with the
// expected one. The exit status is 1 if any response is wrong, or if the memory of the runtime grows.

const CONNECTIONS = 8;

/**
 * The heap that the platform gives an instance, in MB. Without a limit, workerd keeps garbage for about 100,000
 * requests, so its memory does not show what is still in use.
 */
const HEAP_MB = 128;

const DAY_MS = 24 * 60 * 60 * 1000;

const { minutes, store } = new Command("npm run soak --")
  .description(
    "Serves mixed requests for some minutes, with a load in the middle, and checks every response.",
  )
  .option("--minutes <number>", "how long", parseMinutes, 5)
  .addOption(new Option("--store <name>", "from where").choices(STORE_NAMES).default("d1"))
  .parse()
  .opts<{ minutes: number; store: StoreName }>();

process.env.MINIFLARE_WORKERD_V8_FLAGS = `--max-heap-size=${HEAP_MB} --max-semi-space-size=2`;

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

const folder = await mkdtemp(join(tmpdir(), "soak-"));
try {
  process.exitCode = (await soak()) ? 0 : 1;
} catch (error) {
  if (!stop.signal.aborted) throw error;
  process.exitCode = 130;
} finally {
  await rm(folder, { recursive: true, force: true });
}

function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (!(minutes > 0 && minutes <= 24 * 60))
    throw new InvalidArgumentError("It must be above 0 and at most a day.");
  return minutes;
}

async function soak(): Promise<boolean> {
  const server = await serve(folder, "--var", `STORE:${store}`);
  try {
    const next = makeRecords(SEED + 1);
    const [seed, renewed] = [makeRecords(SEED), next].map((made) => describeCollection(server.origin, made));
    let current = [seed!];
    const samples = sampleMemory(findRuntimes(), stop.signal);
    const clients = runClients(server.origin, CONNECTIONS, () => current, stop.signal);
    const end = wait(minutes * 60_000);
    await wait(minutes * 30_000);
    await replace(next, () => {
      current = [seed!, renewed!];
    });
    current = [renewed!];
    await end;
    stop.abort();
    return report(await clients, await samples, minutes * 60);
  } finally {
    stop.abort();
    await server.close();
  }
}

/** Loads the records and waits until no response can show the records loaded before. */
async function replace(records: TrafficRecord[], onBegin: () => void): Promise<void> {
  const file = join(folder, "next.jsonl");
  await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  onBegin();
  const { status, stderr } = await runData(["load", "--store", store, "--persist-to", folder, file]);
  if (status !== 0) throw new Error(`The load failed:\n${stderr}`);
  await wait(TRUST_MS + HANGS_AFTER_MS);
}

function wait(milliseconds: number): Promise<void> {
  return setTimeout(milliseconds, undefined, { signal: stop.signal });
}

/** The records that the generator makes for the days of the seed with this seed number. */
function makeRecords(seed: number): TrafficRecord[] {
  return SEED_DAYS.flatMap((day) => {
    const from = new Date(`${day}T00:00:00Z`);
    return [...generateRecords({ seed, from, to: new Date(from.getTime() + DAY_MS) })];
  });
}
