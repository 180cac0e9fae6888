import { writeFile } from "node:fs/promises";
import { STATE_KEY } from "../../../src/store/blocks.ts";
import type { StoredState } from "../../../src/store/kv-pairs.ts";
import { openScratch } from "../../../tools/scratch.ts";
import { type Deployment, deploymentOptions, runWrangler } from "../../../tools/wrangler/wrangler.ts";

/** Runs one of wrangler's commands for KV. */
export function runKv(command: string[], deployment: Deployment): Promise<string> {
  return runWrangler(["kv", ...command, "--binding", "KV", ...deploymentOptions(deployment)], deployment);
}

/** Runs one of wrangler's bulk commands, which take their keys or pairs from a file. */
export async function runBulk(
  command: "get" | "put" | "delete",
  content: unknown[],
  deployment: Deployment,
): Promise<string> {
  const file = openScratch(`${command}.json`);
  await writeFile(file, JSON.stringify(content));
  return runKv(["bulk", command, file, ...(command === "delete" ? ["--force"] : [])], deployment);
}

/**
 * The values of keys.
 * @param keys at most 100, which KV gives at once
 * @returns undefined for those that do not exist
 */
export async function getValues(keys: string[], deployment: Deployment): Promise<(string | undefined)[]> {
  const found: Record<string, Value> = JSON.parse(await runBulk("get", keys, deployment));
  return keys.map((key) => {
    const value = found[key];
    return (typeof value === "object" ? value?.value : value) ?? undefined;
  });
}

/** Wrangler wraps what it reads on this machine, and prints what the deployed namespace answers as it is. */
type Value = { value: string | null } | string | null | undefined;

/** The current state; undefined if nothing was ever loaded. */
export async function readState(deployment: Deployment): Promise<StoredState | undefined> {
  const [text] = await getValues([STATE_KEY], deployment);
  return text === undefined ? undefined : JSON.parse(text);
}

/** All keys of the namespace. */
export async function listKeys(deployment: Deployment): Promise<string[]> {
  const listed: { name: string }[] = JSON.parse(await runKv(["key", "list"], deployment));
  return listed.map(({ name }) => name);
}
