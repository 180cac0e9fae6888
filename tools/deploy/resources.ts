import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { runWrangler } from "../../data/stores/wrangler.ts";
import type { Programs } from "./run-command.ts";

/** A D1 database or a KV namespace that a deployment uses. */
export interface Resource {
  name: string;
  /** The id, if wrangler.toml gives one. Otherwise the resource is found by its name. */
  id?: string | undefined;
  /** Where a database is created: one of `LOCATIONS`. By default near the machine that runs the command. */
  location?: string | undefined;
}

/** The regions in which D1 creates databases. */
export const LOCATIONS = ["weur", "eeur", "apac", "oc", "wnam", "enam"];

export interface ExistingResource {
  name: string;
  id: string;
}

/** The commands of wrangler for one kind of resource. */
interface Commands {
  list: string[];
  parseList(printed: string): ExistingResource[];
  create(resource: Resource): string[];
  remove(resource: ExistingResource): string[];
}

const Databases = z.array(z.object({ uuid: z.string(), name: z.string() }));
const Namespaces = z.array(z.object({ id: z.string(), title: z.string() }));

const COMMANDS = {
  database: {
    list: ["d1", "list", "--json"],
    parseList: (printed) =>
      Databases.parse(JSON.parse(printed)).map(({ uuid, name }) => ({ id: uuid, name })),
    create: ({ name, location }) => ["d1", "create", name, ...(location ? ["--location", location] : [])],
    remove: ({ name }) => ["d1", "delete", name, "--skip-confirmation"],
  },
  namespace: {
    list: ["kv", "namespace", "list"],
    parseList: (printed) =>
      Namespaces.parse(JSON.parse(printed)).map(({ id, title }) => ({ id, name: title })),
    create: ({ name }) => ["kv", "namespace", "create", name],
    remove: ({ id }) => ["kv", "namespace", "delete", "--namespace-id", id, "--skip-confirmation"],
  },
} as const satisfies Record<string, Commands>;

export type ResourceKind = keyof typeof COMMANDS;

/** A new resource may appear in the list with a delay. It is looked for this many times, once a second. */
const ATTEMPTS = 10;

/**
 * Finds a resource, or creates it if it does not exist.
 * @throws an error with wrangler's output if a command fails
 */
export async function findOrCreateResource(
  kind: ResourceKind,
  resource: Resource,
  programs: Programs,
  print: (line: string) => void,
): Promise<ExistingResource> {
  const { name, id } = resource;
  if (id !== undefined) return { name, id };
  const existing = await findResource(kind, name, programs);
  print(existing ? `the ${kind} ${name} exists` : `creating the ${kind} ${name}`);
  if (existing) return existing;
  await runWrangler(COMMANDS[kind].create(resource), { program: programs.wrangler });
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const created = await findResource(kind, name, programs);
    if (created) return created;
    await setTimeout(1_000);
  }
  throw new Error(`The ${kind} ${name} was created, but wrangler does not list it yet. Deploy again.`);
}

/** Which resources may be removed. */
export interface Removable {
  /** What their names begin with. */
  prefix: string;
  /** Reads the ids of those that workers use. */
  readUsedIds(): Promise<Set<unknown>>;
}

/**
 * Removes a resource of a preview and everything in it. It stays if wrangler.toml gives its id, because others may use it
 * too, and if a worker uses it.
 * @throws if the name does not begin as those of this repository's previews, or if a command fails
 */
export async function removeResource(
  kind: ResourceKind,
  { name, id }: Resource,
  { prefix, readUsedIds }: Removable,
  programs: Programs,
  print: (line: string) => void,
): Promise<void> {
  if (id !== undefined) return print(`the ${kind} ${id} stays, because wrangler.toml names it`);
  if (!name.startsWith(prefix)) throw new Error(`The ${kind} ${name} is not one of a preview.`);
  const existing = await findResource(kind, name, programs);
  if (!existing) return print(`the ${kind} ${name} does not exist`);
  if ((await readUsedIds()).has(existing.id))
    return print(`the ${kind} ${name} stays, because a worker uses it`);
  await runWrangler(COMMANDS[kind].remove(existing), { program: programs.wrangler });
  print(`removed the ${kind} ${name}`);
}

async function findResource(
  kind: ResourceKind,
  name: string,
  programs: Programs,
): Promise<ExistingResource | undefined> {
  return (await listResources(kind, programs)).find((resource) => resource.name === name);
}

/** Lists all databases or namespaces of the account. */
export async function listResources(kind: ResourceKind, programs: Programs): Promise<ExistingResource[]> {
  const { list, parseList } = COMMANDS[kind];
  return parseList(await runWrangler([...list], { program: programs.wrangler }));
}
