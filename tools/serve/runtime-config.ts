import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { Configuration } from "../../data/stores/configuration.ts";
import { DATABASE_KEY } from "./local-database.ts";

/** What the runtime serves, and from where. */
export interface ServeOptions {
  configuration: Configuration;
  /** The variables of the worker. */
  variables: Record<string, string>;
  /** The address to listen at, such as `127.0.0.1:8787`. */
  listen: string;
  /** The bundled worker. */
  bundle: string;
  /** The folder of the static assets. */
  assets: string;
  /** The folder with the data of `wrangler dev`. */
  data: string;
}

/** Needed by the services that are a part of workerd; what they are depends on the version of workerd, not on this date. */
const SERVICE_DATE = "2026-01-01";

/** Creates the configuration of workerd, in the text format of Cap'n Proto, for a file in the data folder. */
export function createRuntimeConfig(options: ServeOptions): string {
  const { listen, data, assets, configuration } = options;
  const services = [
    service("worker", `worker = ${createWorker(options)}`),
    service("site", `assets = ${createAssets(assets, configuration)}`),
    service("database", `worker = ${createDatabaseService()}`),
    service("database-files", `disk = (path = ${text(join(data, "d1"))}, writable = true)`),
    ...(options.variables.GROW === "on" ? createCron(data, configuration) : []),
  ];
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    ${services.join(",\n    ")}
  ],
  sockets = [(name = "http", address = ${text(listen)}, http = (), service = "site")]
);
`;
}

function service(name: string, definition: string): string {
  return `(name = ${text(name)}, ${definition})`;
}

/** The id of the database in the files of `wrangler dev`. */
export function findDatabaseId({ d1_databases: [database] = [] }: Configuration): string {
  return database?.preview_database_id ?? database?.database_id ?? "DB";
}

function createWorker({ configuration, variables, bundle, data }: ServeOptions): string {
  const { compatibility_date = "", compatibility_flags = [] } = configuration;
  const version = {
    id: createHash("sha256").update(readFileSync(bundle)).digest("hex").slice(0, 12),
    tag: "",
  };
  const metadata = { ...version, timestamp: statSync(bundle).mtime.toISOString() };
  const designator = `(name = "database", props = (json = ${json({ database: findDatabaseId(configuration) })}))`;
  const bindings = [
    ...Object.entries(variables).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`),
    `(name = "CF_VERSION_METADATA", json = ${json(metadata)})`,
    `(name = "DB", wrapped = (moduleName = "cloudflare-internal:d1-api", innerBindings = [(name = "fetcher", service = ${designator})]))`,
    '(name = "ASSETS", service = (name = "site", entrypoint = "AssetWorker"))',
  ];
  return `(
      modules = [(name = "worker", esModule = embed ${text(relative(data, bundle))})],
      compatibilityDate = ${text(compatibility_date)},
      compatibilityFlags = [${compatibility_flags.map(text).join(", ")}],
      bindings = [${bindings.join(", ")}]
    )`;
}

function createAssets(folder: string, { assets }: Configuration): string {
  const { html_handling, run_worker_first } = assets ?? {};
  const [headers, redirects] = ["_headers", "_redirects"].map((name) =>
    readFileSync(join(folder, name), "utf8"),
  );
  const config = json({ html_handling, run_worker_first, headers, redirects });
  return `(path = ${text(folder)}, config = ${config}, userWorker = "worker")`;
}

function createDatabaseService(): string {
  return `(
      modules = [(name = "d1.js", bundled = "/workerd/d1.js")],
      compatibilityDate = ${text(SERVICE_DATE)},
      durableObjectNamespaces = [(className = "D1Database", uniqueKey = ${text(DATABASE_KEY)}, enableSql = true)],
      durableObjectStorage = (localDisk = "database-files"),
      bindings = [(name = "DATABASE", durableObjectNamespace = "D1Database")]
    )`;
}

/** The cron triggers, which workerd runs itself. */
function createCron(data: string, { triggers }: Configuration): string[] {
  const bindings = [
    '(name = "SCHEDULE", durableObjectNamespace = "Schedule")',
    '(name = "WORKER", service = "worker")',
    `(name = "CRONS", json = ${json({ WORKER: triggers?.crons ?? [] })})`,
  ];
  const worker = `worker = (
      modules = [(name = "cron.js", bundled = "/workerd/cron.js")],
      compatibilityDate = ${text(SERVICE_DATE)},
      compatibilityFlags = ["service_binding_extra_handlers"],
      durableObjectNamespaces = [(className = "Schedule", uniqueKey = "Schedule", enableSql = true)],
      durableObjectStorage = (localDisk = "cron-files"),
      bindings = [${bindings.join(", ")}]
    )`;
  const files = `disk = (path = ${text(join(data, "cron"))}, writable = true)`;
  return [service("cron", worker), service("cron-files", files)];
}

/** A text of Cap'n Proto, whose escape sequences are those of JSON except for `\u`. */
function text(value: string): string {
  return JSON.stringify(value).replaceAll(/\\u00([0-9a-f]{2})/g, "\\x$1");
}

function json(value: unknown): string {
  return text(JSON.stringify(value));
}
