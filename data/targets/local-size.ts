import { createHash, createHmac } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readConfiguration } from "../../tools/wrangler/configuration.ts";
import { type Deployment, PROJECT } from "../../tools/wrangler/wrangler.ts";

/**
 * What the database takes on this machine: its file, and what SQLite has not yet moved there.
 * @returns bytes; undefined of a deployed database, and where there is none
 */
export async function measureDatabase(deployment: Deployment): Promise<number | undefined> {
  if (deployment.remote) return undefined;
  const [database] = (await readConfiguration(deployment.config)).d1_databases;
  const id = database?.preview_database_id ?? database?.database_id ?? database?.binding ?? "";
  const file = join(folderOf(deployment), `d1/${DATABASES}/${nameObject(DATABASES, id)}.sqlite`);
  const main = await measure(file);
  return main === undefined ? undefined : main + ((await measure(`${file}-wal`)) ?? 0);
}

/**
 * What the values of the namespace take on this machine.
 * @returns bytes; undefined of a deployed namespace, and where there is none
 */
export async function measureNamespace(deployment: Deployment): Promise<number | undefined> {
  if (deployment.remote) return undefined;
  const [namespace] = (await readConfiguration(deployment.config)).kv_namespaces;
  const folder = join(folderOf(deployment), `kv/${namespace?.id ?? namespace?.binding}/blobs`);
  const names = await readdir(folder).catch(() => undefined);
  if (!names) return undefined;
  let bytes = 0;
  for (const name of names) bytes += (await measure(join(folder, name))) ?? 0;
  return bytes;
}

/** Where wrangler keeps what it serves on this machine. */
function folderOf({ persistTo }: Deployment): string {
  return join(resolve(persistTo ?? join(PROJECT, ".wrangler/state")), "v3");
}

const DATABASES = "miniflare-D1DatabaseObject";

/** Workerd's name for the file of a named object: the name's digest with the class as key, and a digest of that. */
function nameObject(className: string, name: string): string {
  const key = createHash("sha256").update(className).digest();
  const digest = (data: string | Buffer) => createHmac("sha256", key).update(data).digest().subarray(0, 16);
  return Buffer.concat([digest(name), digest(digest(name))]).toString("hex");
}

async function measure(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ size }) => size,
    () => undefined,
  );
}
