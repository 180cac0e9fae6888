import project from "../../package.json" with { type: "json" };
import { createApp } from "../../src/app.ts";
import type { AppliedOptions } from "../../src/faults/applied-options.ts";
import { requireFaultOptions } from "../../src/faults/fault-options.ts";
import { requireOrigin } from "../../src/http/request.ts";
import type { StoreEnv } from "../../src/store/create-store.ts";
import { fetchFrom } from "./fetch.ts";
import type { ReceivedRequest, Service, ServiceOptions } from "./index.d.ts";
import { listen } from "./listen.ts";
import type { LoadReporting } from "./load-collection.ts";
import { type App, createResponder } from "./network.ts";
import { respondWithFile } from "./static-files.ts";

/** `waitUntil` is empty, because Node finishes the work anyway. The client's address is in `props`: clients could forge a header. */
const createExecutionContext = (props: RequestProps) => ({
  waitUntil() {},
  passThroughOnException() {},
  props,
});

interface RequestProps {
  address: string;
  /** The fault options that affected the response. Set when the response is ready. */
  applied?: AppliedOptions;
}

/** Hooks for the package's command. The hooks are not part of the public interface. */
interface ServiceHooks extends LoadReporting {
  /** Called after each response. If this hook is set, `requests` stays empty. */
  onResponse?: ((received: ReceivedRequest) => void) | undefined;
}

/** The maximum length of `requests`, enough for a walk through 150,000 records. */
const MAX_REQUESTS = 10_000;

/** See `createService` in index.d.ts. */
export function createService(options: ServiceOptions = {}, hooks: ServiceHooks = {}): Service {
  requireServiceOptions(options);
  const variables = createVariables(options);
  const app = createApp({
    now: options.now,
    onEnd(c) {
      c.executionCtx.props.applied = c.get("applied");
    },
  });
  const { ready, getEnvironment, replace } = createEnvironments(variables, options, hooks);
  const serve: App = async (request, address = "") => {
    const file = respondWithFile(request);
    if (file) return { response: file };
    const props: RequestProps = { address };
    const response = await app.fetch(request, await getEnvironment(), createExecutionContext(props));
    return { response, applied: props.applied };
  };
  const { onResponse } = hooks;
  const requests: ReceivedRequest[] = [];
  const addRequest = (received: ReceivedRequest) => {
    requests.push(received);
    if (requests.length > MAX_REQUESTS) requests.shift();
  };
  const respond = createResponder(serve, onResponse ? undefined : addRequest, onResponse);
  return {
    ready,
    requests,
    async fetch(input, init) {
      const request = new Request(input, init);
      await ready;
      return fetchFrom(respond, request);
    },
    listen: (options) => ready.then(() => listen(respond, options)),
    replace,
    reset() {
      requests.length = 0;
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

/** Creates a new `env` for each collection of the service, because the caches belong to an `env`. */
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

/** Creates the bindings and variables that a deployment has in wrangler.toml. */
function createVariables({ publicOrigin = "", prefer = "" }: ServiceOptions) {
  return {
    STORE: "memory",
    PUBLIC_ORIGIN: publicOrigin,
    RATE_LIMIT: "off",
    PREFER: prefer,
    CF_VERSION_METADATA: { id: project.version, tag: "", timestamp: "" },
  };
}

/**
 * Imports SQLite and the code of a load only when records are loaded, because the command `check` needs neither.
 * @throws Error if this version of Node is too old
 */
async function loadCollection(options: ServiceOptions, reporting: LoadReporting) {
  const { emitWarning } = process;
  // Hides the warning that SQLite is experimental.
  process.emitWarning = () => {};
  const sqlite: unknown = process.getBuiltinModule("node:sqlite");
  process.emitWarning = emitWarning;
  if (!sqlite) throw new Error(`The package needs Node 22.13 or newer, but this is Node ${process.version}.`);
  const collection = await import("./load-collection.ts");
  return collection.loadCollection(options, project.version, reporting);
}

const isString = (value: unknown) => typeof value === "string";

/** The valid values of an option, described in words and by a function. */
type Rule = [expected: string, isValid: (value: unknown) => boolean];

const SERVICE_RULES: Record<keyof ServiceOptions, Rule> = {
  records: ["an array or another iterable", (value) => Symbol.iterator in Object(value)],
  files: ["an array of paths", (value) => Array.isArray(value) && value.every(isString)],
  modelName: ['"tf1"', (value) => value === "tf1"],
  now: ["a function", (value) => typeof value === "function"],
  publicOrigin: ["a string", isString],
  prefer: ["a string", isString],
};

/** @throws Error if an option is unknown or invalid */
function requireServiceOptions(options: ServiceOptions): void {
  const rules = new Map(Object.entries(SERVICE_RULES));
  for (const [name, value] of Object.entries(options)) {
    const [expected, isValid] = rules.get(name) ?? [];
    const known = [...rules.keys()].join(", ");
    if (!isValid) throw new TypeError(`createService has no option ${name}. Its options are ${known}.`);
    if (value !== undefined && !isValid(value))
      throw new TypeError(`The option ${name} must be ${expected}.`);
  }
  const { records, files, publicOrigin, prefer = "" } = options;
  if (records && files) throw new TypeError("Set records or files, not both.");
  requireFaultOptions("prefer", prefer);
  if (publicOrigin) requireOrigin("publicOrigin", publicOrigin);
}
