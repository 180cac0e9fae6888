import "./node-version.ts";
import { createApp } from "../../src/app.ts";
import type { Env } from "../../src/env.ts";
import { requireOrigin } from "../../src/http/request.ts";
import { requirePreferences } from "../../src/mock/prefer.ts";
import { fetchFrom } from "./fetch.ts";
import type { ReceivedRequest, Service, ServiceOptions } from "./index.d.ts";
import { listen } from "./listen.ts";
import type { Reporting } from "./load-collection.ts";
import { createResponder, type Respond, refuseHost } from "./network.ts";
import { ASSETS, respondWithFile } from "./static-files.ts";

/** The version of the package. The build replaces this name. */
declare const VERSION: string;

/** A service in Node needs no help to finish what a request has begun. Its client is in `props`, because clients can send any header. */
const createContext = (address = "") => ({ waitUntil() {}, passThroughOnException() {}, props: { address } });

/** What the command shows and programs do not. */
interface Watching extends Reporting {
  /** Called after each response. Then nothing is remembered of the requests. */
  onResponse?: ((received: ReceivedRequest) => void) | undefined;
}

/** Does what `createService` of index.d.ts does. */
export function createService(options: ServiceOptions = {}, watching: Watching = {}): Service {
  requireServiceOptions(options);
  const variables = createVariables(options);
  const app = createApp(options.now);
  const { ready, current, replace } = createEnvironments(variables, options, watching);
  const serve: Respond = async (request, address) =>
    refuseHost(request) ??
    respondWithFile(request) ??
    app.fetch(request, await current(), createContext(address));
  const { onResponse } = watching;
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
    listen: (address) => ready.then(() => listen(respond, address)),
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
function createEnvironments(variables: object, options: ServiceOptions, reporting: Reporting) {
  const load = async ({ records, ...others }: ServiceOptions): Promise<Env> => {
    const env: Env = Object.create(variables);
    const copied = records && copyRecords(records);
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
    current: () => served,
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
    CF_VERSION_METADATA: { id: VERSION, tag: "", timestamp: "" },
  };
}

function copyRecords<T>(records: Iterable<T>): T[] {
  return Array.from(records, (record) => (typeof record === "object" && record ? { ...record } : record));
}

/** Loads with code that is imported only now, because a check needs neither the code nor SQLite. */
async function loadCollection(options: ServiceOptions, reporting: Reporting) {
  const { emitWarning } = process;
  // Node warns that SQLite is experimental, which says nothing to users of the package.
  process.emitWarning = () => {};
  process.getBuiltinModule("node:sqlite");
  process.emitWarning = emitWarning;
  const collection = await import("./load-collection.ts");
  return collection.loadCollection(options, VERSION, reporting);
}

/** The memory that the journal takes, about: several thousand ordinary requests. */
const JOURNAL_BYTES = 10_000_000;

/** About how much memory a request takes. */
const measure = ({ url, headers }: ReceivedRequest) =>
  Array.from(headers).reduce(
    (sum, [name, value]) => sum + name.length + value.length + 100,
    url.length + 500,
  );

/** Remembers the newest requests. Clients choose their size, so a number of them would not bound the memory. */
function createJournal() {
  const requests: ReceivedRequest[] = [];
  let bytes = 0;
  return {
    requests,
    add(received: ReceivedRequest): void {
      requests.push(received);
      bytes += measure(received);
      while (bytes > JOURNAL_BYTES) bytes -= measure(requests.shift() as ReceivedRequest);
    },
    reset(): void {
      requests.length = 0;
      bytes = 0;
    },
  };
}

const isText = (value: unknown) => typeof value === "string";

/** What each option must be, and whether a value is that. */
const RULES: Record<keyof ServiceOptions, [what: string, isValid: (value: unknown) => boolean]> = {
  records: [
    "an array, or anything else that is iterable",
    (value) => typeof Object(value)[Symbol.iterator] === "function",
  ],
  files: ["an array of paths", (value) => Array.isArray(value) && value.every(isText)],
  modelName: ['"tf1"', (value) => value === "tf1"],
  now: ["a function", (value) => typeof value === "function"],
  publicOrigin: ["a text", isText],
  prefer: ["a text", isText],
};

/** @throws Error if an option of a service is wrong */
function requireServiceOptions(options: ServiceOptions): void {
  if (Object(options) !== options) throw new TypeError("createService takes an object with options.");
  const rules = new Map(Object.entries(RULES));
  for (const [name, value] of Object.entries(options)) {
    const [what, isValid] = rules.get(name) ?? [];
    if (!isValid)
      throw new TypeError(
        `createService has no option ${name}. Its options are ${[...rules.keys()].join(", ")}.`,
      );
    if (value !== undefined && !isValid(value)) throw new TypeError(`The option ${name} must be ${what}.`);
  }
  const { records, files, publicOrigin, prefer = "" } = options;
  if (records && files) throw new TypeError("A service has records or files, not both.");
  requirePreferences("prefer", prefer);
  if (publicOrigin) requireOrigin("publicOrigin", publicOrigin);
}
