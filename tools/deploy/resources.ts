import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { runWrangler } from "../wrangler.ts";
import type { Programs } from "./programs.ts";

/** A database or a namespace. */
export interface Resource {
  name: string;
  /** As wrangler.toml says; one without is found by its name and made if there is none. */
  id?: string | undefined;
}

export interface Found {
  name: string;
  id: string;
}

interface Kind {
  list: string[];
  read(listed: string): Found[];
  create(name: string): string[];
  remove(found: Found): string[];
}

const Databases = z.array(z.object({ uuid: z.string(), name: z.string() }));
const Namespaces = z.array(z.object({ id: z.string(), title: z.string() }));

/** How wrangler deals with each kind of resource. */
const KINDS = {
  database: {
    list: ["d1", "list", "--json"],
    read: (listed) => Databases.parse(JSON.parse(listed)).map(({ uuid, name }) => ({ id: uuid, name })),
    create: (name) => ["d1", "create", name],
    remove: ({ name }) => ["d1", "delete", name, "--skip-confirmation"],
  },
  namespace: {
    list: ["kv", "namespace", "list"],
    read: (listed) => Namespaces.parse(JSON.parse(listed)).map(({ id, title }) => ({ id, name: title })),
    create: (name) => ["kv", "namespace", "create", name],
    remove: ({ id }) => ["kv", "namespace", "delete", "--namespace-id", id, "--skip-confirmation"],
  },
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof KINDS;

/** How often a new resource is looked for, a second apart: the list may lag behind. */
const ATTEMPTS = 10;

/**
 * Finds a resource, and makes it if there is none.
 * @param tell told whether it was there
 * @throws if wrangler fails, with its message
 */
export async function ensure(
  kind: KindName,
  { name, id }: Resource,
  programs: Programs,
  tell: (line: string) => void,
): Promise<Found> {
  if (id !== undefined) return { name, id };
  const existing = await find(kind, name, programs);
  tell(existing ? `the ${kind} ${name} is there` : `the ${kind} ${name} is made`);
  if (existing) return existing;
  await runWrangler(KINDS[kind].create(name), { program: programs.wrangler });
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const made = await find(kind, name, programs);
    if (made) return made;
    await setTimeout(1_000);
  }
  throw new Error(`The ${kind} ${name} was made, but is not listed.`);
}

/**
 * Removes a resource with all that it holds, unless wrangler.toml gives its id: then it belongs to others too.
 * @throws if wrangler fails, with its message
 */
export async function remove(
  kind: KindName,
  { name, id }: Resource,
  programs: Programs,
  tell: (line: string) => void,
): Promise<void> {
  if (id !== undefined) return tell(`the ${kind} ${id} is of wrangler.toml and stays`);
  const existing = await find(kind, name, programs);
  if (!existing) return tell(`the ${kind} ${name} is gone already`);
  await runWrangler(KINDS[kind].remove(existing), { program: programs.wrangler });
  tell(`the ${kind} ${name} is removed`);
}

async function find(kind: KindName, name: string, programs: Programs): Promise<Found | undefined> {
  const { list, read } = KINDS[kind];
  const listed = await runWrangler([...list], { program: programs.wrangler });
  return read(listed).find((found) => found.name === name);
}
