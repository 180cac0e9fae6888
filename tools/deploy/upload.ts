import { readFile } from "node:fs/promises";
import { getTemporaryPath } from "../paths.ts";
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
  /** The address of an uploaded version, unless preview URLs are off. */
  preview_url?: string;
  preview_urls?: string[];
  deployment_urls?: string[];
}

/**
 * Runs a command of wrangler that uploads the code. It uses the terminal, so it can ask questions, and writes its report to a file.
 * @throws Error with wrangler's reason if the command fails, or if the user cancels it
 */
export async function upload(command: string[]): Promise<Report> {
  const file = getTemporaryPath(`${command[0]}.ndjson`);
  const env = { WRANGLER_OUTPUT_FILE_PATH: file };
  const status = await waitForExit(spawnWrangler(nameConfiguration(command), { env, stdio: "inherit" }));
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n").filter(Boolean);
  const reports: Report[] = lines.map((line) => JSON.parse(line));
  // The first line is about the session.
  const report = reports.findLast(({ type }) => type !== "wrangler-session");
  const { message = "Its output is above.", code = "none" } = report ?? {};
  if (status !== 0 || !report) throw new Error(`wrangler failed: ${message} [code: ${code}]`);
  if (report.version_id === null) throw new Error("The deployment was cancelled.");
  return report;
}

/**
 * Gets the address of production: the last domain or route, or else workers.dev.
 * @param report.targets Such as `https://a.workers.dev`, `counts.example/*`, or `counts.example (custom domain) [production: enabled]`
 * @throws Error if there is no address that can be checked
 */
export function getAddress({ targets = [] }: Pick<Report, "targets">): string {
  const enabled = targets.filter((target) => !target.includes("production: disabled"));
  // A schedule, a wildcard host and a part of the paths have no address.
  const pattern = /^(?:(https?:\/\/[^\s/*]+)|([^\s/*:.]+(?:\.[^\s/*:.]+)+))(?:\/\*)?(?: \(.*)?$/;
  const found = enabled.map((target) => pattern.exec(target)).findLast((match) => match !== null);
  if (found) return new URL(found[1] ?? `https://${found[2]}`).origin;
  throw new Error("Wrangler reported no address of the worker. Set PUBLIC_ORIGIN in wrangler.toml.");
}

/**
 * Gets the addresses of a preview.
 * @returns The address of the branch, and the one that serves only this deployment
 * @throws Error if the preview has no address
 */
export function getPreviewAddresses({
  preview_urls: [branch] = [],
  deployment_urls: [deployment = branch] = [],
}: Pick<Report, "preview_urls" | "deployment_urls">): { branch: string; deployment: string } {
  if (branch !== undefined && deployment !== undefined) return { branch, deployment };
  throw new Error("Wrangler reported no address of the preview. Turn on preview URLs in the dashboard.");
}
