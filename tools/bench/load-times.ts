import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import { PROJECT } from "../../data/stores/wrangler.ts";

/** The time and memory that `npm run data -- load` needs for a file of generated records. */
export interface LoadResult {
  store: StoreName;
  records: number;
  seconds: number;
  /** The largest memory of the command and all processes that it started, in megabytes. */
  peak_mb: number;
}

const SAMPLE_MS = 50;

/** Loads generated records as CSV into both stores, in a temporary folder. */
export async function measureLoads(records: number): Promise<LoadResult[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-load-"));
  try {
    const file = join(folder, "records.csv");
    await runData(["generate", "--records", String(records), "--out", file]);
    const results: LoadResult[] = [];
    for (const store of STORE_NAMES) {
      const place = ["--store", store, "--persist-to", join(folder, store)];
      results.push({ store, records, ...(await runData(["load", file, ...place])) });
    }
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the data tool as its npm script does. */
async function runData(args: string[]): Promise<{ seconds: number; peak_mb: number }> {
  const startedAt = performance.now();
  const { scripts } = JSON.parse(await readFile(join(PROJECT, "package.json"), "utf8"));
  const [, ...command]: string[] = scripts.data.replace(/^exec /, "").split(" ");
  const child = spawn(process.execPath, [...command, ...args], {
    cwd: PROJECT,
    stdio: ["ignore", "ignore", "inherit"],
  });
  let peak = 0;
  const timer = setInterval(async () => {
    peak = Math.max(peak, await measureTree(child.pid ?? 0).catch(() => 0));
  }, SAMPLE_MS);
  const status = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  clearInterval(timer);
  if (status !== 0) throw new Error(`npm run data -- ${args.join(" ")} ended with ${status}`);
  return {
    seconds: Number(((performance.now() - startedAt) / 1000).toFixed(1)),
    peak_mb: Math.round(peak / 1e6),
  };
}

/** The resident memory of a process and of its descendants, in bytes, as Linux reports it. */
async function measureTree(root: number): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const processes = (await Promise.all(pids.map(readProcess))).filter((one) => one !== undefined);
  const tree = new Set([root]);
  for (let before = 0; before !== tree.size; ) {
    before = tree.size;
    for (const { pid, parent } of processes) if (tree.has(parent)) tree.add(pid);
  }
  return processes.reduce((sum, { pid, bytes }) => (tree.has(pid) ? sum + bytes : sum), 0);
}

async function readProcess(pid: string) {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const [, parent] = /^PPid:\s+(\d+)/m.exec(status) ?? [];
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(status) ?? [];
  return parent && kilobytes
    ? { pid: Number(pid), parent: Number(parent), bytes: Number(kilobytes) * 1024 }
    : undefined;
}
