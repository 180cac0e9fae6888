import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimental_generateTypes, experimental_readRawConfig, unstable_readConfig } from "wrangler";
import * as settings from "../../../tools/configuration.ts";
import { findPlace, readConfiguration, writeConfiguration } from "../../../tools/deploy/place.ts";
import { QUIET, runWrangler } from "../../../tools/wrangler.ts";

const execute = promisify(execFile);
const WRANGLER = createRequire(import.meta.url).resolve("wrangler");

const config = unstable_readConfig({ config: "wrangler.toml" });

interface Bound {
  vars?: Record<string, unknown>;
  d1_databases?: { binding: string }[];
  kv_namespaces?: { binding: string }[];
  ratelimits?: { name: string }[];
  version_metadata?: { binding: string };
}

/** What the worker finds in its environment, by name. */
function namesOf(bound: Bound): string[] {
  const { vars = {}, d1_databases = [], kv_namespaces = [], ratelimits = [], version_metadata } = bound;
  return [
    ...Object.keys(vars),
    ...[...d1_databases, ...kv_namespaces].map(({ binding }) => binding),
    ...ratelimits.map(({ name }) => name),
    ...(version_metadata ? [version_metadata.binding] : []),
  ].sort();
}

/**
 * The types that wrangler makes of what a configuration gives the worker: every binding and variable, of any kind.
 * @param previews of what it gives previews instead
 */
async function readTypes(file: string, previews: boolean): Promise<Record<string, string>> {
  const { rawConfig } = experimental_readRawConfig({ config: file });
  const { previews: bound, build: _, ...production } = rawConfig;
  const { name, main, compatibility_date, compatibility_flags } = rawConfig;
  const worker = { name, main: resolve(String(main)), compatibility_date, compatibility_flags };
  const place = await mkdtemp(join(folder, "types-"));
  const config = join(place, "wrangler.json");
  await writeFile(config, JSON.stringify(previews ? { ...worker, ...bound } : { ...production, ...worker }));
  const { env } = await experimental_generateTypes({
    config,
    path: join(place, "types.d.ts"),
    includeRuntime: false,
    includeMainModule: false,
    strictVars: false,
  });
  const [, body = ""] = /interface __BaseEnv_Env \{(.*?)\n\}/s.exec(String(env)) ?? [];
  return typesIn(body);
}

/** The fields of the one interface in a text, with their types. */
function typesIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^(?: {2}|\t)(\w+)\??: (.*);$/gm)].map(([, ...field]) => field),
  );
}

let code: string;
let read: string[];
let folder: string;
beforeAll(async () => {
  code = await readFile("src/env.ts", "utf8");
  read = Object.keys(typesIn(code)).sort();
  folder = await mkdtemp(join(tmpdir(), "configuration-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("wrangler.toml", () => {
  test.each([
    ["production", false],
    ["previews", true],
  ])("gives %s all that the code reads, as what it takes it to be, and nothing else", async (_, previews) => {
    expect(read).toContain("STORE");
    expect(await readTypes("wrangler.toml", previews)).toEqual(typesIn(code));
  });

  test.each<[string, boolean, string]>([
    ["production a bucket", false, '[[r2_buckets]]\nbinding = "FILES"\nbucket_name = "files"'],
    ["previews a bucket", true, '[[previews.r2_buckets]]\nbinding = "FILES"\nbucket_name = "files"'],
    [
      "previews the production worker",
      true,
      '[[previews.services]]\nbinding = "LIVE"\nservice = "traffic-count-records"',
    ],
    ["previews a queue", true, '[[previews.queues.producers]]\nbinding = "QUEUE"\nqueue = "queue"'],
    ["previews a model", true, '[previews.ai]\nbinding = "AI"'],
  ])("would not pass if it gave %s", async (_, previews, addition) => {
    const file = join(await mkdtemp(join(folder, "more-")), "wrangler.toml");
    await writeFile(file, `${await readFile("wrangler.toml", "utf8")}\n${addition}\n`);
    const types = await readTypes(file, previews);
    expect(Object.keys(types)).toHaveLength(read.length + 1);
  });

  test("shares nothing of production with previews", () => {
    const { previews } = config;
    expect(previews?.ratelimits?.[0]?.namespace_id).not.toBe(config.ratelimits[0]?.namespace_id);
    for (const { database_id, database_name } of previews?.d1_databases ?? [])
      expect([database_id, database_name], "each branch its own").toEqual([undefined, undefined]);
    for (const { id } of previews?.kv_namespaces ?? []) expect(id).toBeUndefined();
  });

  test("is answered on workers.dev, with previews", () => {
    expect(config).toMatchObject({ workers_dev: true, preview_urls: true, previews: {} });
  });

  test("sets no limit of CPU time, which the free plan refuses to deploy", () => {
    expect([config.limits, config.previews?.limits]).toEqual([undefined, undefined]);
  });
});

describe.each([
  ["wrangler.toml", async () => "wrangler.toml"],
  ["production's file with ids", () => write(undefined)],
  ["a preview's file with ids", () => write("login")],
])("%s", (_, find) => {
  test("is deployed without a warning", async () => {
    const file = await find();
    const args = ["deploy", "--dry-run", "--outdir", join(folder, "out"), "--config", file];
    const env = { ...process.env, ...QUIET, CI: "1", NO_COLOR: "1" };
    const { stdout, stderr } = await execute(process.execPath, [WRANGLER, ...args], { env });
    expect(stdout).toMatch(/^env\.DB \(traffic-count-records/m);
    expect(stdout).toContain("--dry-run: exiting now.");
    expect(stdout).not.toMatch(/warning/i);
    expect(stderr).toBe("");
  });

  test("names migrations that wrangler finds", async () => {
    const args = [
      "d1",
      "migrations",
      "apply",
      "DB",
      "--local",
      "--persist-to",
      await mkdtemp(join(folder, "d1-")),
    ];
    const printed = await runWrangler([...args, "--config", await find()]);
    for (const name of await readdir("data/migrations")) expect(printed).toContain(name);
  });
});

/** Writes the file with ids of a place, as a deployment does. */
async function write(preview: string | undefined, previewStore = "d1"): Promise<string> {
  const configuration = await readConfiguration();
  Object.assign(configuration.previews?.vars ?? {}, { STORE: previewStore });
  const place = findPlace(configuration, preview);
  const database = { name: place.database.name, id: "6f1c2a34-0000-4000-8000-000000000001" };
  const namespace = { name: place.namespace.name, id: "0123456789abcdef0123456789abcdef" };
  return writeConfiguration(configuration, place, database, namespace, join(folder, "deployments"));
}

test("a preview's file holds nothing of production, and makes no worker of its name", async () => {
  const written = unstable_readConfig({ config: await write("login") });
  const own = "traffic-count-records-preview-login";
  expect(written.name).toBe(own);
  for (const bound of [written, written.previews])
    expect(bound).toMatchObject({
      d1_databases: [
        { binding: "DB", database_name: own, database_id: "6f1c2a34-0000-4000-8000-000000000001" },
      ],
      kv_namespaces: [{ binding: "KV", id: "0123456789abcdef0123456789abcdef" }],
    });
  expect(namesOf(written.previews ?? {})).toEqual(read);
});

test("a preview's file tells npm run data which store the preview serves", async () => {
  const config = await write("login", "kv");
  const { vars } = await settings.readConfiguration(config);
  expect(settings.requireStore(vars?.STORE, config)).toBe("kv");
});
