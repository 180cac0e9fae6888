import "./node-version.ts";
import project from "../../package.json" with { type: "json" };
import { createApp } from "../../src/app.ts";
import { requireFaultOptions } from "../../src/faults/fault-options.ts";
import { requireOrigin } from "../../src/http/request.ts";
import type { StoreEnv } from "../../src/store/create-store.ts";
import { fetchFrom } from "./fetch.ts";
import type { ListenOptions, ReceivedRequest, Service, ServiceOptions } from "./index.d.ts";
import { listen } from "./listen.ts";
import type { LoadReporting } from "./load-collection.ts";
import { createResponder, type Respond } from "./network.ts";
import { ASSETS, respondWithFile } from "./static-files.ts";

/** A service in Node needs no help to finish what a request has begun. Its client is in `props`, because clients can send any header. */
const createExecutionContext = (address = "") => ({
  waitUntil() {},
  passThroughOnException() {},
  props: { address },
});

/** What the command shows and programs do not. */
interface ServiceHooks extends LoadReporting {
  /** Called after each response. Then nothing is remembered of the requests. */
  onResponse?: ((received: ReceivedRequest) => void) | undefined;
}

/** Does what `createService` of index.d.ts does. */
export function createService(options: ServiceOptions = {}, hooks: ServiceHooks = {}): Service {
  requireServiceOptions(options);
  const variables = createVariables(options);
  const app = createApp(options.now);
  const { ready, getEnvironment, replace } = createEnvironments(variables, options, hooks);
  const serve: Respond = async (request, address) =>
    respondWithFile(request) ?? app.fetch(request, await getEnvironment(), createExecutionContext(address));
  const { onResponse } = hooks;
  const { requests, ...journal } = createJournal();
  const respond = createResponder(serve, onResponse ? undefined : journal.add, onResponse);
  return {
    ready,
    requests,
    async fetch(input, init) {
      const request = new Request(input, init);
      await ready;
      return fetchFrom(respond, request);
    },
    async listen(options = {}) {
      requireOptions("listen", options, LISTEN_RULES);
      return ready.then(() => listen(respond, options));
    },
    replace,
    reset() {
      journal.reset();
      app.reset();
    },
    get prefer() {
      return variables.PREFER;
    },
    set prefer(text) {
      requireServiceOptions({ prefer: text });
      variables.PREFER = text;
      app.reset();
    },
  };
}

/** Each collection of a service has an environment of its own, and so a cache of its own. One of them is served. */
function createEnvironments(variables: object, options: ServiceOptions, reporting: LoadReporting) {
  const load = async ({ records, ...others }: ServiceOptions): Promise<StoreEnv> => {
    const env: StoreEnv = Object.create(variables);
    const copied =
      records && Array.from(records, (record) => (Object(record) === record ? { ...record } : record));
    env.MEMORY = await loadCollection({ ...others, records: copied }, reporting);
    return env;
  };
  const first = load(options);
  let served = first;
  const ready = first.then(() => {});
  // The methods reject with the same error, so the process need not end if nobody handles this promise.
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

/** Creates the bindings and variables that a deployment has in wrangler.toml. */
function createVariables({ publicOrigin = "", prefer = "" }: ServiceOptions) {
  return {
    STORE: "memory",
    PUBLIC_ORIGIN: publicOrigin,
    RATE_LIMIT: "off",
    PREFER: prefer,
    ASSETS,
    CF_VERSION_METADATA: { id: project.version, tag: "", timestamp: "" },
  };
}

/** Loads with code that is imported only now, because a check needs neither the code nor SQLite. */
async function loadCollection(options: ServiceOptions, reporting: LoadReporting) {
  const { emitWarning } = process;
  // Node warns that SQLite is experimental, which says nothing to users of the package.
  process.emitWarning = () => {};
  process.getBuiltinModule("node:sqlite");
  process.emitWarning = emitWarning;
  const collection = await import("./load-collection.ts");
  return collection.loadCollection(options, project.version, reporting);
}

/** The memory that the journal takes, about: several thousand ordinary requests. */
const MAX_JOURNAL_BYTES = 10_000_000;

/** About how much memory a request takes. */
const getEntrySize = ({ url, headers }: ReceivedRequest) =>
  Array.from(headers).reduce((sum, header) => sum + header.join("").length + 100, url.length + 500);

/** Remembers the newest requests. Clients choose their size, so a number of them would not bound the memory. */
function createJournal() {
  const requests: ReceivedRequest[] = [];
  let bytes = 0;
  return {
    requests,
    add(received: ReceivedRequest): void {
      requests.push(received);
      bytes += getEntrySize(received);
      while (bytes > MAX_JOURNAL_BYTES) bytes -= getEntrySize(requests.shift() as ReceivedRequest);
    },
    reset(): void {
      requests.length = 0;
      bytes = 0;
    },
  };
}

const isString = (value: unknown) => typeof value === "string";

/** What an option must be, and whether a value is that. */
type Rule = [what: string, isValid: (value: unknown) => boolean];

const SERVICE_RULES: Record<keyof ServiceOptions, Rule> = {
  records: ["an array or another iterable", (value) => Symbol.iterator in Object(value)],
  files: ["an array of paths", (value) => Array.isArray(value) && value.every(isString)],
  modelName: ['"tf1"', (value) => value === "tf1"],
  now: ["a function", (value) => typeof value === "function"],
  publicOrigin: ["a text", isString],
  prefer: ["a text", isString],
};

const LISTEN_RULES: Record<keyof ListenOptions, Rule> = {
  port: ["a whole number, 0 to 65535", (value) => typeof value === "number" && value === (value & 65_535)],
  host: ["a name or an address", (value) => isString(value) && value !== ""],
};

/** @throws Error if an option of a function is unknown or wrong */
function requireOptions(caller: string, options: object, rules: Record<string, Rule>): void {
  if (Object(options) !== options) throw new TypeError(`${caller} takes an object with options.`);
  for (const [name, value] of Object.entries(options)) {
    const [expected, isValid] = new Map(Object.entries(rules)).get(name) ?? [];
    const others = `Its options are ${Object.keys(rules).join(", ")}.`;
    if (!isValid) throw new TypeError(`${caller} has no option ${name}. ${others}`);
    if (value !== undefined && !isValid(value))
      throw new TypeError(`The option ${name} must be ${expected}.`);
  }
}

/** @throws Error if an option of a service is wrong */
function requireServiceOptions(options: ServiceOptions): void {
  requireOptions("createService", options, SERVICE_RULES);
  const { records, files, publicOrigin, prefer = "" } = options;
  if (records && files) throw new TypeError("A service has records or files, not both.");
  requireFaultOptions("prefer", prefer);
  if (publicOrigin) requireOrigin("publicOrigin", publicOrigin);
}
