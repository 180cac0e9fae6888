import { createApp } from "../../src/app.ts";
import type { StoreEnv } from "../../src/store/create-store.ts";
import { createEnvironments, createVariables } from "./environments.ts";
import { fetchFrom } from "./fetch.ts";
import type { ReceivedRequest, Service, ServiceOptions } from "./index.d.ts";
import { listen } from "./listen.ts";
import type { LoadReporting } from "./load-records.ts";
import { createRequestList } from "./request-list.ts";
import { type App, createResponder } from "./respond.ts";
import { formatFaults, requireShape, ServiceSchema } from "./service-options.ts";
import { respondWithFile } from "./static-files.ts";

/** Hooks for the package's command. */
export interface ServiceHooks extends LoadReporting {
  onResponse?: ((received: ReceivedRequest) => void) | undefined;
  /** Whether to list the requests in `requests`, and to pass them to `onResponse`. The default is true. */
  notesRequests?: boolean | undefined;
}

/** See `createService` in index.d.ts. */
export function createService(options?: ServiceOptions): Service {
  return createControls(options).service;
}

export type ServiceControls = ReturnType<typeof createControls>;

/** Creates a service, with what only the package's command may use: its `clock` can be replaced, and `respond` needs a service that is ready. */
export function createControls(options: ServiceOptions = {}, hooks: ServiceHooks = {}) {
  requireShape(ServiceSchema, options);
  const variables = createVariables(options);
  const clock = { now: options.now ?? (() => Date.now()) };
  const environments = createEnvironments(variables, options, { ...hooks, onReplaced: () => reset() });
  const { app, reset, endWaits } = createServiceApp(() => clock.now(), environments.getEnvironment);
  // Begins the growth of `grow`.
  const ready = environments.ready.then(reset);
  // An unhandled rejection would end the process. All methods reject with the same error.
  ready.catch(() => {});
  const { onResponse, notesRequests = true } = hooks;
  const list = createRequestList();
  // Without a reader, a request needs no copy of its headers.
  const respond = createResponder(app, { receive: notesRequests ? list.add : undefined, onResponse });
  const service: Service = {
    ready,
    // Without a setter, because a list that was replaced would stay as it is.
    get requests() {
      return list.requests;
    },
    async fetch(input, init) {
      const request = new Request(input, init);
      await ready;
      return fetchFrom(respond, request);
    },
    listen: (options) => ready.then(() => listen(respond, options)),
    replace: environments.replace,
    reset() {
      list.clear();
      reset();
      endWaits();
    },
    get prefer() {
      return variables.PREFER;
    },
    set prefer(prefer) {
      // Unlike an option, it cannot be left out.
      requireShape(ServiceSchema, { prefer: prefer ?? null });
      variables.PREFER = formatFaults({ ...options, prefer });
      reset();
    },
  };
  const { replaceByBody, reload } = environments;
  // So that an option which is set later, such as `service.faults`, is an error.
  return { service: Object.preventExtensions(service), respond, clock, replaceByBody, reload };
}

/** More than any test opens. */
const MAX_WAITING = 20_000;

function createServiceApp(now: () => number, getEnvironment: () => Promise<StoreEnv>) {
  const { app: service, ...controls } = createApp({ now, maxWaiting: MAX_WAITING });
  const app: App = async (request, client) => {
    const file = respondWithFile(request, { canCompress: client.address !== undefined });
    if (file) return file;
    // The client's address is a property, because clients could forge a header.
    const context = { waitUntil() {}, passThroughOnException() {}, props: client };
    return service.fetch(request, await getEnvironment(), context);
  };
  return { app, ...controls };
}
