import { readFile } from "node:fs/promises";
import { getTemporaryPath } from "../temporary-path.ts";
import { nameConfiguration, spawnWrangler, waitForExit } from "../wrangler.ts";

/** What wrangler reports at the end of a command. */
interface Report {
  type: string;
  /** The reason of a failure, and Cloudflare's code for it. */
  message?: string;
  code?: number | string;
  /** Null if the user declined the deployment. */
  version_id?: string | null;
  targets?: string[];
  preview_urls?: string[];
  deployment_urls?: string[];
}

/**
 * Uploads the code and makes it live. Wrangler uses the terminal, so it can ask questions, and writes its report to a file.
 * @throws Error with wrangler's reason if the command fails, or if the user cancels it
 */
export async function upload(command: string[]): Promise<Report> {
  const file = getTemporaryPath("report.ndjson");
  const env = { WRANGLER_OUTPUT_FILE_PATH: file };
  const status = await waitForExit(spawnWrangler(nameConfiguration(command), { env, stdio: "inherit" }));
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n").filter(Boolean);
  const reports: Report[] = lines.map((line) => JSON.parse(line));
  const report = reports.findLast(({ type }) => ["deploy", "preview", "command-failed"].includes(type));
  const { message = "Its output is above.", code = "none" } = report ?? {};
  if (status !== 0 || !report) throw new Error(`wrangler failed: ${message} [code: ${code}]`);
  if (report.version_id === null) throw new Error("The deployment was cancelled, so nothing was deployed.");
  return report;
}

/**
 * Finds the address of production: the last domain or route, or else workers.dev.
 * @param targets Such as `https://a.workers.dev`, `counts.example/*`, `counts.example (custom domain)`, or a schedule
 */
export function findAddress(targets: string[] = []): string | undefined {
  const enabled = targets.filter((target) => !target.includes("production: disabled"));
  return enabled.map(parseTarget).findLast((origin) => origin !== undefined);
}

/** Returns the origin of a target; undefined for a schedule, a wildcard host or a part of the paths. */
function parseTarget(target: string): string | undefined {
  const [, scheme = "https://", host] =
    /^(https?:\/\/)?([^\s/*.]+(?:\.[^\s/*.]+)+)(\/\*)?( \(.*)?$/.exec(target) ?? [];
  return host === undefined ? undefined : URL.parse(scheme + host)?.origin;
}
