import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** The workerd processes that this process has started, directly or indirectly. Empty if there is no /proc. */
export function findRuntimes(): number[] {
  const parents = new Map<number, number>();
  for (const pid of listProcesses()) {
    const parent = readField(pid, "PPid");
    if (parent !== undefined) parents.set(pid, parent);
  }
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === process.pid || isOurs(parents.get(pid)));
  return [...parents.keys()].filter((pid) => isOurs(pid) && readName(pid) === "workerd");
}

/** The memory of the processes in MiB, one value per second until `stop` is aborted. Empty without processes. */
export async function sampleMemory(pids: number[], stop: AbortSignal): Promise<number[]> {
  const samples: number[] = [];
  while (pids.length > 0 && !stop.aborted) {
    samples.push(measureMemory(pids));
    await setTimeout(1_000, undefined, { signal: stop }).catch(() => undefined);
  }
  return samples;
}

function measureMemory(pids: number[]): number {
  return pids.reduce((sum, pid) => sum + (readField(pid, "VmRSS") ?? 0), 0) / 1024;
}

function listProcesses(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function readName(pid: number): string | undefined {
  return /^Name:\s*(.*)$/m.exec(readStatus(pid))?.[1];
}

function readField(pid: number, field: string): number | undefined {
  const value = new RegExp(`^${field}:\\s*(\\d+)`, "m").exec(readStatus(pid))?.[1];
  return value === undefined ? undefined : Number(value);
}

/** Empty if the process has ended. */
function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
