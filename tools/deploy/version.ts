import { execFileSync, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import {
  getTemporaryPath,
  notifyIfSlow,
  PROJECT,
  spawnWrangler,
  waitForExit,
} from "../../data/writer/wrangler.ts";
import { getErrorMessage } from "../conformance/retrying-client.ts";
import { printDetail } from "./steps.ts";

/** What wrangler reports about a deployment to production (`deploy`) or to a preview, or about its failure. */
interface Report {
  type: string;
  message?: string;
  /** Cloudflare's code for the error. */
  code?: number | string;
  /** Null if wrangler asked a question, and the user cancelled the deployment. */
  version_id?: string | null;
  /** Where production is reachable: addresses on workers.dev, `counts.example (custom domain)`, routes, schedules. */
  targets?: string[];
  preview_urls?: string[];
  deployment_urls?: string[];
}

/**
 * Uploads the code and makes it live. Wrangler uses the terminal, so it can ask questions, and writes its report to a file.
 * @param command of wrangler, with its options
 * @throws with wrangler's reason if it fails, or if the user cancels it
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

/** After a deployment, the platform serves the old and the new version side by side for some seconds. */
const CONSECUTIVE_RESPONSES = 3;

/** Milliseconds between two requests. */
const INTERVAL_MS = 2_000;

/** A new subdomain of workers.dev, or the certificate of a new domain, takes minutes. */
const TIMEOUT_MS = 600_000;

/** A worker that fails this often in a row fails every request. An earlier version may fail for some seconds. */
const MAX_FAILURES = 10;

/**
 * Waits until the service reports a version three times in a row.
 * @param version undefined if the address serves one version only, which then only has to respond
 * @param onProblem called for each different problem; an error ends the wait
 * @throws if the service does not respond in time, still reports another version, or fails every request
 */
export async function waitForVersion(
  address: string,
  version: string | undefined,
  onProblem = async () => {},
): Promise<void> {
  const giveUpAt = Date.now() + TIMEOUT_MS;
  let [correct, failed, printed] = [0, 0, ""];
  while (correct < CONSECUTIVE_RESPONSES) {
    const { problem = "", isFailure } = await checkCameraOk(`${address}/healthz`, version);
    correct = problem === "" ? correct + 1 : 0;
    failed = isFailure ? failed + 1 : 0;
    if (problem && problem !== printed) {
      printDetail(`waiting for up to ten minutes: ${problem}`);
      await onProblem();
      printed = problem;
    }
    if (failed === MAX_FAILURES || (problem && Date.now() >= giveUpAt)) throw new Error(problem);
    if (correct < CONSECUTIVE_RESPONSES) await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}

/** @returns what is wrong, and whether it is the worker: a domain or its certificate, which fail with 520 to 599, can be new */
async function checkCameraOk(url: string, version: string | undefined) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    const { code, status } = Object(await response.json().catch(() => undefined));
    const isFailure = response.status >= 500 && response.status < 520 && status !== "unavailable";
    if (!response.ok) return { problem: `GET ${url} failed: status ${response.status}`, isFailure };
    if (code?.id === version || (!version && code !== undefined)) return {};
    if (code?.id) return { problem: `${url} still reports version ${code.id} instead of ${version}.` };
    const problem = `${url} reports no version: it leads to another service, or wrangler.toml has no [version_metadata].`;
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

/** The file has one JSON object a line; the last one of these types is about the result. */
async function readReport(file: string): Promise<Report | undefined> {
  const lines = (await readFile(file, "utf8").catch(() => "")).trimEnd().split("\n");
  const entries: Report[] = lines.map((line) => JSON.parse(line || "{}"));
  return entries.findLast(({ type }) => ["deploy", "preview", "command-failed"].includes(type));
}

/**
 * Finds the address of production; if it has several, that of its own domain.
 * @param targets as wrangler reports them: `https://a.workers.dev`, `counts.example/*`, `counts.example (custom domain)`
 */
export function findAddress(targets: string[] = []): string | undefined {
  return targets
    .filter((target) => !target.includes("production: disabled"))
    .map((target) => /^(https?:\/\/)?([^\s/*]+\.[^\s/*]+)(\/\*)?( \(.*)?$/.exec(target) ?? [])
    .map(([, scheme = "https://", host]) => host && URL.parse(scheme + host)?.origin)
    .findLast((origin) => origin);
}

/** The maximum length of the message of a version, in characters. */
const MESSAGE_LENGTH = 100;

/**
 * Reads the options of wrangler that record the commit in a version of the worker: the abbreviated id, with `-dirty` if
 * there are uncommitted changes, and the first line of the message. Outside of a repository there are none.
 */
export function readCommitOptions(): string[] {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: PROJECT, encoding: "utf8", stdio: "pipe" }).trim();
  try {
    const [id = "", subject = ""] = git("log", "-1", "--format=%h%n%s").split("\n");
    const isDirty = git("status", "--porcelain") !== "";
    return [`--tag=${id}${isDirty ? "-dirty" : ""}`, `--message=${subject.slice(0, MESSAGE_LENGTH)}`];
  } catch {
    return [];
  }
}
