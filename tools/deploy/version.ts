import { execFileSync, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { getErrorMessage } from "../command-line/requests.ts";
import {
  getTemporaryPath,
  notifyIfSlow,
  PROJECT,
  spawnWrangler,
  waitForExit,
} from "../data/stores/wrangler.ts";
import { printDetail } from "./steps.ts";

/** The report of a wrangler command: a deployment, a preview, or a failure. */
interface Report {
  type: "deploy" | "preview" | "command-failed";
  message?: string;
  /** Cloudflare's code for the error. */
  code?: number | string;
  /** Null if the user declined the deployment. */
  version_id?: string | null;
  /** The addresses of production: workers.dev, `counts.example (custom domain)`, routes. The list also contains schedules. */
  targets?: string[];
  preview_urls?: string[];
  deployment_urls?: string[];
}

/**
 * Uploads the code and makes it live. Wrangler uses the terminal, so it can ask questions, and writes its report to a file.
 * @param command The wrangler command with its options
 * @throws Error with wrangler's reason if the command fails, or if the user cancels it
 */
export async function upload(command: string[]): Promise<Report> {
  const file = getTemporaryPath("report.ndjson");
  const ended = waitForExit(spawnWrangler(command, { WRANGLER_OUTPUT_FILE_PATH: file }));
  const status = await notifyIfSlow(command, ended);
  const report = await readReport(file);
  const { message = "wrangler failed. Its output is above.", code } = report ?? {};
  if (status !== 0 || !report) throw new Error(`${message}${code === undefined ? "" : ` [code: ${code}]`}`);
  if (report.version_id === null) throw new Error("The deployment was cancelled, so nothing was deployed.");
  return report;
}

/** How many consecutive responses must report the new version. For some seconds, the platform serves the previous version, too. */
const MIN_RESPONSES = 3;

const INTERVAL_MS = 2_000;

/** The maximum wait. A new workers.dev subdomain, or the certificate of a new domain, is ready only after minutes. */
const TIMEOUT_MS = 600_000;

/** How many consecutive failures show that the worker is broken. For some seconds, the previous version may fail, too. */
const MAX_FAILURES = 10;

/**
 * Waits until `/healthz` reports a version three times in a row.
 * @param version The expected version. For an address that serves one version only, undefined accepts any version.
 * @param onProblem Called when the problem changes. An error of `onProblem` ends the wait.
 * @throws Error if the service does not respond in time, still reports a different version, or fails every request
 */
export async function waitForVersion(
  address: string,
  version: string | undefined,
  onProblem = async () => {},
): Promise<void> {
  const giveUpAt = Date.now() + TIMEOUT_MS;
  let [correct, failed, printed] = [0, 0, ""];
  while (correct < MIN_RESPONSES) {
    const { problem = "", isFailure } = await checkHealth(`${address}/healthz`, version);
    correct = problem === "" ? correct + 1 : 0;
    failed = isFailure ? failed + 1 : 0;
    if (problem && problem !== printed) {
      printDetail(`waiting for up to ten minutes: ${problem}`);
      await onProblem();
      printed = problem;
    }
    if (failed === MAX_FAILURES || (problem && Date.now() >= giveUpAt)) throw new Error(problem);
    if (correct < MIN_RESPONSES) await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}

/** Returns the problem, if any. Statuses 500 to 519 are failures of the worker: 520 to 599 come from a new domain or certificate. */
async function checkHealth(url: string, version: string | undefined) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    const { code, status } = Object(await response.json().catch(() => undefined));
    const isFailure = response.status >= 500 && response.status < 520 && status !== "unavailable";
    if (!response.ok) return { problem: `GET ${url} failed: status ${response.status}`, isFailure };
    if (code?.id === version || (!version && code !== undefined)) return {};
    if (code?.id) return { problem: `${url} still reports version ${code.id} instead of ${version}.` };
    const problem = `${url} reports no version: the address belongs to a different service, or wrangler.toml has no [version_metadata].`;
    return { problem };
  } catch (error) {
    return { problem: `GET ${url} failed: ${getErrorMessage(error)}` };
  }
}

/** Tests a deployment with the HTTP suite. @throws if a test fails */
export async function testDeployment(address: string): Promise<void> {
  printDetail(`at ${address}`);
  const env = { ...process.env, BASE_URL: address };
  const tests = spawn("npm", ["run", "test:live"], { cwd: PROJECT, stdio: "inherit", env });
  if ((await waitForExit(tests)) !== 0) throw new Error(`A test of ${address} failed. The output is above.`);
}

/** Reads the report from a file with one JSON object per line. */
async function readReport(file: string): Promise<Report | undefined> {
  const lines = (await readFile(file, "utf8").catch(() => "")).trimEnd().split("\n");
  const entries: Report[] = lines.map((line) => JSON.parse(line || "{}"));
  return entries.findLast(({ type }) => ["deploy", "preview", "command-failed"].includes(type));
}

/**
 * Finds the address of production. A custom domain or a route is preferred to workers.dev.
 * @param targets The addresses that wrangler reports: `https://a.workers.dev`, `counts.example/*`, `counts.example (custom domain)`
 */
export function findAddress(targets: string[] = []): string | undefined {
  return targets
    .filter((target) => !target.includes("production: disabled"))
    .map((target) => /^(https?:\/\/)?([^\s/*]+\.[^\s/*]+)(\/\*)?( \(.*)?$/.exec(target) ?? [])
    .map(([, scheme = "https://", host]) => host && URL.parse(scheme + host)?.origin)
    .findLast((origin) => origin);
}

/** The maximum length of a version's message, in characters. */
const MAX_MESSAGE_LENGTH = 100;

/**
 * Gets the wrangler options that store the commit in a version of the worker: the abbreviated id of the commit, with `-dirty` if there
 * are uncommitted changes, and the first line of the commit message. Outside of a repository, there are no options.
 */
export function getCommitOptions(): string[] {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: PROJECT, encoding: "utf8", stdio: "pipe" }).trim();
  try {
    const tag = git("describe", "--always", "--dirty", "--exclude=*");
    const subject = git("log", "-1", "--no-show-signature", "--format=%s");
    return [`--tag=${tag}`, `--message=${subject.slice(0, MAX_MESSAGE_LENGTH)}`];
  } catch {
    return [];
  }
}
