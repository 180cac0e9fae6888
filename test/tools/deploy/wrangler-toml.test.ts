import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { experimental_generateTypes, experimental_readRawConfig, unstable_readConfig } from "wrangler";
import { readConfiguration, requireStore } from "../../../data/stores/configuration.ts";
import { QUIET, runWrangler } from "../../../data/stores/wrangler.ts";
import { createTarget, readWranglerToml, writeConfigFile } from "../../../tools/deploy/deploy-target.ts";
import { createFolder } from "../../temporary-folder.ts";

const execute = promisify(execFile);
const WRANGLER = createRequire(import.meta.url).resolve("wrangler");

const config = unstable_readConfig({ config: "wrangler.toml" });

interface Settings {
  vars?: Record<string, unknown>;
  d1_databases?: { binding: string }[];
  kv_namespaces?: { binding: string }[];
  ratelimits?: { name: string }[];
  version_metadata?: { binding: string };
}

/** The names of the variables and bindings. */
function namesOf(settings: Settings): string[] {
  const { vars = {}, d1_databases = [], kv_namespaces = [], ratelimits = [], version_metadata } = settings;
  return [
    ...Object.keys(vars),
    ...[...d1_databases, ...kv_namespaces].map(({ binding }) => binding),
    ...ratelimits.map(({ name }) => name),
    ...(version_metadata ? [version_metadata.binding] : []),
  ].sort();
}

/**
 * Compares the variables and bindings of a configuration, as wrangler generates their types, with `Env` of the worker.
 * @param previews whether to read the settings of previews instead of those of production
 * @returns the output of the compiler, empty if they are the same
 */
async function compareWithEnv(file: string, previews: boolean): Promise<string> {
  const { rawConfig } = experimental_readRawConfig({ config: file });
  const { previews: preview, build: _, ...production } = rawConfig;
  const { name, main, compatibility_date, compatibility_flags } = rawConfig;
  const worker = { name, main: resolve(String(main)), compatibility_date, compatibility_flags };
  const output = createFolder();
  const config = join(output, "wrangler.json");
  await writeFile(
    config,
    // Previews inherit the assets with their binding.
    JSON.stringify(
      previews ? { ...worker, assets: production.assets, ...preview } : { ...production, ...worker },
    ),
  );
  const { env } = await experimental_generateTypes({
    config,
    path: join(output, "types.d.ts"),
    includeRuntime: false,
    includeMainModule: false,
    strictVars: false,
  });
  const source = join(output, "compare.ts");
  const [generated] = String(env).split("declare namespace");
  await writeFile(source, `${COMPARISON}\n${generated}`);
  return compile(source);
}

const pathOf = (file: string) => JSON.stringify(resolve(file));

/** This source compiles only if the generated interface, which is appended, has exactly the fields of `Env`. */
const COMPARISON = `
import type { D1Database, Fetcher, KVNamespace, RateLimit, WorkerVersionMetadata } from ${pathOf("node_modules/@cloudflare/workers-types/index.d.ts")};
import type { Env } from ${pathOf("src/env.ts")};
type Complete<T> = { [K in keyof T]-?: Exclude<T[K], undefined> };
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export const same: Same<Complete<Env>, Complete<__BaseEnv_Env>> = true;`;

/** Returns the output of the compiler, empty if there are no errors. */
async function compile(file: string): Promise<string> {
  const options = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--allowImportingTsExtensions",
    "--ignoreConfig",
  ];
  const target = ["--target", "es2024", "--module", "nodenext", "--types", ""];
  const command = [resolve("node_modules/typescript/bin/tsc"), ...options, ...target, file];
  return execute(process.execPath, command).then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  );
}

const folder = createFolder();

describe("wrangler.toml", () => {
  test.each([
    ["production", false],
    ["previews", true],
  ])(
    "gives %s the variables and bindings of src/env.ts, with their types, and no others",
    async (_, previews) => {
      expect(await compareWithEnv("wrangler.toml", previews)).toBe("");
    },
  );

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
  ])("fails the test above if it gives %s", async (_, previews, addition) => {
    const file = join(createFolder(), "wrangler.toml");
    await writeFile(file, `${await readFile("wrangler.toml", "utf8")}\n${addition}\n`);
    expect(await compareWithEnv(file, previews)).toContain("Type 'true' is not assignable to type 'false'");
  });

  test("gives previews no resource of production", () => {
    const { previews } = config;
    expect(previews?.ratelimits?.[0]?.namespace_id).not.toBe(config.ratelimits[0]?.namespace_id);
    for (const { database_id, database_name } of previews?.d1_databases ?? [])
      expect([database_id, database_name], "each branch has its own database").toEqual([
        undefined,
        undefined,
      ]);
    for (const { id } of previews?.kv_namespaces ?? []) expect(id).toBeUndefined();
  });

  test("serves the worker and its previews on workers.dev", () => {
    expect(config).toMatchObject({ workers_dev: true, preview_urls: true, previews: {} });
  });

  test("sets no limit on CPU time, because the free plan does not allow one", () => {
    expect([config.limits, config.previews?.limits]).toEqual([undefined, undefined]);
  });
});

describe.each([
  ["wrangler.toml", async () => "wrangler.toml"],
  ["the configuration file of production", () => write(undefined)],
  ["the configuration file of a preview", () => write("login")],
])("%s", (_, find) => {
  test("can be deployed without a warning", async () => {
    const file = await find();
    const args = ["deploy", "--dry-run", "--outdir", join(folder, "out"), "--config", file];
    const env = { ...process.env, ...QUIET, CI: "1", NO_COLOR: "1" };
    const { stdout, stderr } = await execute(process.execPath, [WRANGLER, ...args], { env });
    expect(stdout).toMatch(/^env\.DB \(traffic-count-records/m);
    expect(stdout).toContain("--dry-run: exiting now.");
    expect(stdout).not.toMatch(/warning/i);
    expect(stderr).toBe("");
  });

  test("lets wrangler find the migrations", async () => {
    const args = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", createFolder()];
    const printed = await runWrangler([...args, "--config", await find()]);
    for (const name of await readdir("data/migrations")) expect(printed).toContain(name);
  });
});

/** Writes the configuration file of a target, as a deployment does. */
async function write(preview: string | undefined, previewStore = "d1"): Promise<string> {
  const configuration = await readWranglerToml();
  Object.assign(configuration.previews?.vars ?? {}, { STORE: previewStore });
  const target = createTarget(configuration, preview, "github.com/owner/counts");
  const database = { name: target.database.name, id: "6f1c2a34-0000-4000-8000-000000000001" };
  const namespace = { name: target.namespace.name, id: "0123456789abcdef0123456789abcdef" };
  return writeConfigFile(configuration, target, database, namespace, join(folder, "deployments"));
}

test("the configuration file of a preview contains no production resource or name", async () => {
  const written = unstable_readConfig({ config: await write("login") });
  const name = "traffic-count-records-preview-77df07-login";
  expect(written.name).toBe(name);
  for (const settings of [written, written.previews])
    expect(settings).toMatchObject({
      d1_databases: [
        { binding: "DB", database_name: name, database_id: "6f1c2a34-0000-4000-8000-000000000001" },
      ],
      kv_namespaces: [{ binding: "KV", id: "0123456789abcdef0123456789abcdef" }],
    });
  expect(namesOf(written.previews ?? {})).toEqual(namesOf(config));
});

test("two workers of one account do not share rate limit counters", async () => {
  const limits = await Promise.all(
    [undefined, "login", "logout"].map(
      async (preview) => unstable_readConfig({ config: await write(preview) }).ratelimits[0]?.namespace_id,
    ),
  );
  expect(new Set(limits).size).toBe(3);
});

test("npm run data reads the store of a preview from its configuration file", async () => {
  const config = await write("login", "kv");
  const { vars } = await readConfiguration(config);
  expect(requireStore(vars?.STORE, config)).toBe("kv");
});
