import { z } from "zod";
import type { StoreName } from "../../data/stores/configuration.ts";
import type { Dependencies, Wrangler } from "./dependencies.ts";
import type { Target } from "./target.ts";

/** A D1 database or a KV namespace of the account. */
export interface Resource {
  name: string;
  id: string;
}

/** What a store is kept in, and the commands of wrangler for it. */
export const RESOURCES = {
  d1: {
    kind: "database",
    list: ["d1", "list", "--json"],
    create: ["d1", "create"],
    remove: ({ name }: Resource) => ["d1", "delete", name, "--skip-confirmation"],
  },
  kv: {
    kind: "namespace",
    list: ["kv", "namespace", "list"],
    create: ["kv", "namespace", "create"],
    remove: ({ id }: Resource) => ["kv", "namespace", "delete", "--namespace-id", id, "--skip-confirmation"],
  },
} as const satisfies Record<StoreName, unknown>;

const Listed = z.array(
  z.union([
    z.object({ uuid: z.string(), name: z.string() }).transform(({ uuid, name }) => ({ id: uuid, name })),
    z.object({ id: z.string(), title: z.string() }).transform(({ id, title }) => ({ id, name: title })),
  ]),
);

/** Lists all databases or namespaces of the account. */
export async function listResources(store: StoreName, wrangler: Wrangler): Promise<Resource[]> {
  return Listed.parse(JSON.parse(await wrangler([...RESOURCES[store].list])));
}

/** A new resource may appear in the list with a delay. It is looked for this many times, once a second. */
const ATTEMPTS = 10;

/**
 * Finds the database or the namespace of a target by its name, or creates it.
 * @param location where a database is created: a region of D1. By default near the machine that runs the command
 * @returns its id
 * @throws an error with wrangler's output if a command fails
 */
export async function findOrCreateResource(
  { store, resource: { name, id }, prefix }: Target,
  location: string | undefined,
  { wrangler, print, sleep }: Dependencies,
): Promise<string> {
  if (id !== undefined) return id;
  const { kind, create } = RESOURCES[store];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const existing = await listResources(store, wrangler);
    const found = existing.find((resource) => resource.name === name);
    if (found) return found.id;
    if (attempt > 0) await sleep(1_000);
    else {
      print(`      creating the ${kind} ${name}`);
      const options = store === "d1" && location ? ["--location", location] : [];
      await wrangler([...create, name, ...options]).catch((cause) => {
        throw isLimit(cause) ? createLimitError(existing, prefix, cause) : cause;
      });
    }
  }
  throw new Error(`The ${kind} ${name} was created, but wrangler does not list it yet. Deploy again.`);
}

function isLimit(error: unknown): boolean {
  return String(error).includes("maximum number of D1 databases");
}

function createLimitError(existing: Resource[], prefix: string, cause: unknown): Error {
  const own = existing.filter(({ name }) => name.startsWith(prefix));
  const previews = own.map(({ name }) => name.slice(prefix.length)).join(", ") || "none";
  return new Error(
    `The account has ${existing.length} databases, and its plan allows no more. Previews of this repository with a database: ${previews}. Remove one with \`npm run preview -- --delete --branch NAME\`, or set STORE = "kv".`,
    { cause },
  );
}
