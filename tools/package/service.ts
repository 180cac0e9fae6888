import * as z from "zod";
import project from "../../package.json" with { type: "json" };
import { createApp } from "../../src/app.ts";
import { formatOptions } from "../../src/faults/applied-options.ts";
import { requireFaultOptions } from "../../src/faults/fault-options.ts";
import type { OptionValues } from "../../src/faults/option-table.ts";
import { requireOrigin } from "../../src/http/request.ts";
import type { StoreEnv } from "../../src/store/create-store.ts";
import { fetchFrom } from "./fetch.ts";
import type { PreferOptions, ReceivedRequest, Service, ServiceOptions } from "./index.d.ts";
import { listen } from "./listen.ts";
import type { LoadReporting, RecordSource } from "./load-collection.ts";
import { createRequestList } from "./request-list.ts";
import { type App, createResponder, type Respond } from "./respond.ts";
import { createSampleStore } from "./sample-data.ts";
import { respondWithFile } from "./static-files.ts";

/** Hooks for the package's command. The hooks are not part of the public interface. */
export interface ServiceHooks extends LoadReporting {
  /** Called after each response. */
  onResponse?: ((received: ReceivedRequest) => void) | undefined;
  /** Whether `requests` lists the requests, as it does by default. */
  listsRequests?: boolean | undefined;
  /** Changes how a server of the service responds. */
  wrapResponder?: ((service: Service, respond: Respond) => Respond) | undefined;
}

/** See `createService` in index.d.ts. */
export function createService(options: ServiceOptions = {}, hooks: ServiceHooks = {}): Service {
  requireServiceOptions(options);
  const variables = createVariables(options);
  const { ready, getEnvironment, replace } = createEnvironments(variables, options, hooks);
  const { app, reset } = createServiceApp(options.now, getEnvironment);
  const { onResponse, listsRequests = true, wrapResponder = (_, respond) => respond } = hooks;
  const list = createRequestList();
  const respond = createResponder(app, { onRequest: listsRequests ? list.add : undefined, onResponse });
  const service: Service = {
    ready,
    requests: list.requests,
    async fetch(input, init) {
      const request = new Request(input, init);
      await ready;
      return fetchFrom(respond, request);
    },
    listen: (options) => ready.then(() => listen(wrapResponder(service, respond), options)),
    replace,
    reset() {
      list.clear();
      reset();
    },
    get prefer() {
      return variables.PREFER;
    },
    set prefer(faults) {
      requireServiceOptions({ prefer: faults });
      variables.PREFER = formatFaults(faults);
      reset();
    },
  };
  return service;
}

/** Creates the service with its static files. */
function createServiceApp(now: ServiceOptions["now"], getEnvironment: () => Promise<StoreEnv>) {
  const { app: service, reset } = createApp({
    now,
    onEnd(c) {
      c.executionCtx.props.applied = c.get("applied");
    },
  });
  const app: App = async (request, address) => {
    const file = respondWithFile(request);
    if (file) return { response: file };
    // The client's address is a property, because clients could forge a header. `onEnd` adds the applied options.
    const props: { address: string | undefined; applied?: OptionValues } = { address };
    const context = { waitUntil() {}, passThroughOnException() {}, props };
    const response = await service.fetch(request, await getEnvironment(), context);
    return { response, applied: props.applied };
  };
  return { app, reset };
}

/** Creates a new `env` for each collection of the service, because the caches belong to an `env`. */
function createEnvironments(variables: object, options: ServiceOptions, reporting: LoadReporting) {
  const load = async ({ records, files, modelName }: ServiceOptions): Promise<StoreEnv> => {
    requireSqlite();
    const env: StoreEnv = Object.create(variables);
    if (records) env.MEMORY = await loadCollection({ records: Array.from(records, copyRecord) }, reporting);
    else if (files) env.MEMORY = await loadCollection({ files, modelName }, reporting);
    else env.MEMORY = createSampleStore();
    return env;
  };
  const first = load(options);
  let served = first;
  const ready = first.then(() => {});
  // Ignores the error here, because the methods reject with the same error. An unhandled rejection would end the process.
  ready.catch(() => {});
  return {
    ready,
    getEnvironment: () => served,
    async replace(records?: ServiceOptions["records"]) {
      requireServiceOptions({ records });
      const previous = served;
      const next = records ? load({ records }) : first;
      served = next.catch(() => previous);
      await ready;
      await next;
    },
  };
}

/** Copies the fields of a record. Returns anything else unchanged, for the message that it is not a record. */
function copyRecord(record: unknown): unknown {
  const isObject = typeof record === "object" && record !== null && !Array.isArray(record);
  return isObject ? { ...record } : record;
}

/** Creates the bindings and variables that a deployment has in wrangler.toml. */
function createVariables({ publicOrigin = "", prefer = "" }: ServiceOptions) {
  if (publicOrigin) requireOrigin("publicOrigin", publicOrigin);
  return {
    STORE: "memory",
    PUBLIC_ORIGIN: publicOrigin,
    RATE_LIMIT: "off",
    PREFER: formatFaults(prefer),
    CF_VERSION_METADATA: { id: project.version, tag: "", timestamp: "" },
    /** The records of /seed.csv.gz. The home page reads them, so it offers the file only if it is what is served. */
    get SAMPLE_DATA() {
      return createSampleStore();
    },
  };
}

/** Formats faults for the setting PREFER. @throws Error if an option is unknown or invalid */
function formatFaults(faults: PreferOptions | string): string {
  return formatOptions(requireFaultOptions("prefer", faults).values).join(", ");
}

/** Imports the code of a load only when records are loaded, because the sample data and the command `check` do not need it. */
async function loadCollection(source: RecordSource, reporting: LoadReporting) {
  const collection = await import("./load-collection.ts");
  return collection.loadCollection(source, project.version, reporting);
}

/** Loads SQLite without its warning that it is experimental. @throws Error if this version of Node is too old, and has no SQLite */
function requireSqlite(): void {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    const sqlite: unknown = process.getBuiltinModule("node:sqlite");
    if (!sqlite)
      throw new Error(`The package needs Node 22.13 or newer, but this is Node ${process.version}.`);
  } finally {
    process.emitWarning = emitWarning;
  }
}

const Options = z
  .strictObject({
    records: z.custom((value) => Symbol.iterator in Object(value), "It must be an array or another iterable"),
    files: z.array(z.string()),
    modelName: z.literal("tf1"),
    now: z.custom((value) => typeof value === "function", "It must be a function"),
    publicOrigin: z.string(),
    prefer: z.union([z.string(), z.looseObject({})], "It must be a string or an object"),
  })
  .partial()
  .refine(({ records, files }) => !(records && files), "Set records or files, not both");

/** @throws TypeError if an option is unknown or invalid */
function requireServiceOptions(options: ServiceOptions): void {
  const { error } = Options.safeParse(options);
  if (error) throw new TypeError(`Invalid options of createService:\n${z.prettifyError(error)}`);
}
