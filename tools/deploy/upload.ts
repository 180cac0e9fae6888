import { readFile, rm } from "node:fs/promises";
import { z } from "zod";
import type { Dependencies } from "./dependencies.ts";
import type { Target } from "./target.ts";

/** What wrangler reports in a file, one JSON object a line, about a deployment or its failure. */
const Report = z.object({
  type: z.enum(["deploy", "preview", "command-failed"]),
  message: z.string().optional(),
  version_id: z.string().nullish(),
  targets: z.array(z.string()).nullish(),
  preview_urls: z.array(z.string()).nullish(),
  deployment_urls: z.array(z.string()).nullish(),
});

export interface Uploaded {
  /** The address of the service, without a path. */
  address: string;
  /** Where the new version is tested: of a preview, an address that serves this version only. */
  testAddress: string;
  /** The id of the version, if the address serves others too. */
  version: string | undefined;
}

/**
 * Uploads the code and makes it live. Wrangler uses the terminal, so it can ask questions, and writes its report to a file beside
 * the configuration file, with the ending `.ndjson`.
 * @param commitOptions the options of wrangler that record the commit
 * @param url the public address of production; by default `PUBLIC_ORIGIN`, or else the address that wrangler reports
 * @throws with wrangler's reason if it fails, or if it reports no address
 */
export async function upload(
  target: Target,
  config: string,
  commitOptions: string[],
  url: string | undefined,
  { run }: Pick<Dependencies, "run">,
): Promise<Uploaded> {
  const file = config.replace(/json$/, "ndjson");
  await rm(file, { force: true });
  const command =
    target.preview === undefined ? ["deploy"] : ["preview", "--ignore-base-config", ...nameOptions(target)];
  const args = [...command, "--config", config, ...commitOptions];
  await run("wrangler", args, { WRANGLER_OUTPUT_FILE_PATH: file }).catch(async (cause: Error) => {
    throw new Error((await readReport(file))?.message ?? cause.message, { cause });
  });
  const report = await readReport(file);
  const given = url ?? target.address;
  const address = given ?? report?.preview_urls?.[0] ?? findAddress(report?.targets);
  if (address === undefined)
    throw new Error(
      "The worker is deployed, but wrangler reported no address. Set workers_dev = true and preview_urls = true in wrangler.toml, or name the address of production with --url, and deploy again.",
    );
  return {
    address,
    testAddress: given ?? report?.deployment_urls?.[0] ?? address,
    version: report?.version_id ?? undefined,
  };
}

/** The options of wrangler that name a preview. */
export function nameOptions({ preview, worker }: Pick<Target, "preview" | "worker">): string[] {
  return ["--name", String(preview), "--worker-name", worker];
}

async function readReport(file: string): Promise<z.infer<typeof Report> | undefined> {
  const lines = (await readFile(file, "utf8").catch(() => "")).trimEnd().split("\n");
  return lines.map((line) => Report.safeParse(JSON.parse(line || "{}")).data).findLast((report) => report);
}

/**
 * Finds the address of the worker; if it has several, that of a custom domain.
 * @param targets as wrangler lists them: URLs on workers.dev, `counts.example (custom domain)`, routes, schedules
 */
function findAddress(targets: string[] | null | undefined): string | undefined {
  return targets
    ?.map((target) => target.replace(/^(\S+) \(custom domain.*/, "https://$1"))
    .findLast((target) => /^https?:/.test(target));
}
