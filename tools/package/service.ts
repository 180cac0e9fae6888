import type { Readable } from "node:stream";
import { createApp } from "../../src/app.ts";
import type { DelayLimits } from "../../src/faults/slots.ts";
import type { StoreEnv } from "../../src/store/create-store.ts";
import { createEnvironments, createVariables } from "./environments.ts";
import { fetchFrom, keepAlive } from "./fetch.ts";
import type { ReceivedRequest, Service, ServiceOptions } from "./index.d.ts";
import { listen } from "./listen.ts";
import type { LoadReporting } from "./load-collection.ts";
import { createReceivedRequest, createRequestList } from "./request-list.ts";
import { type App, createResponder, type Respond } from "./respond.ts";
import { formatFaults, requireServiceOptions } from "./service-options.ts";
import { respondWithFile } from "./static-files.ts";

/** Hooks for the package's command. The hooks are not part of the public interface. */
export interface ServiceHooks extends LoadReporting {
  onResponse?: ((received: ReceivedRequest) => void) | undefined;
  /** Whether `requests` lists the requests, as it does by default. */
  listsRequests?: boolean | undefined;
  /** Whether a server may replace globals of the process. */
  replacesGlobals?: boolean;
  /** Changes how a server of the service responds. */
  wrapResponder?: ((respond: Respond, controls: ServiceControls) => Respond) | undefined;
}

/** What controls a service over HTTP. */
export interface ServiceControls {
  service: Service;
  /** Replaces all records, as `replace` does, by those in the body of a request, in any format. */
  replaceByBody(body: Readable): Promise<void>;
}

/** See `createService` in index.d.ts. */
export function createService(options: ServiceOptions = {}, hooks: ServiceHooks = {}): Service {
  requireServiceOptions(options);
  const variables = createVariables(options);
  const { ready, getEnvironment, replace, replaceByBody } = createEnvironments(variables, options, hooks);
  const { app, reset, endWaits } = createServiceApp(options.now, getEnvironment);
  const { onResponse, listsRequests = true, wrapResponder = (respond) => respond } = hooks;
  const list = createRequestList();
  // Without a reader, a request needs no copy of its headers.
  const note = onResponse && ((request: Request) => createReceivedRequest(request));
  const receive = listsRequests ? list.add : note;
  const respond = createResponder(app, { receive, onResponse });
  const service: Service = {
    ready,
    requests: list.requests,
    async fetch(input, init) {
      const request = new Request(input, init);
      await ready;
      const canAbort = init?.signal || input instanceof Request;
      return canAbort ? keepAlive(() => fetchFrom(respond, request)) : fetchFrom(respond, request);
    },
    listen: (options) =>
      ready.then(() => listen(wrapResponder(respond, { service, replaceByBody }), options, hooks)),
    replace,
    reset() {
      list.clear();
      reset();
      endWaits();
    },
    get prefer() {
      return variables.PREFER;
    },
    set prefer(faults) {
      // Unlike an option, it cannot be left out.
      requireServiceOptions({ prefer: faults ?? null });
      variables.PREFER = formatFaults(faults);
      reset();
    },
  };
  return service;
}

/** A server can have any number of clients. */
const SERVER_LIMITS: DelayLimits = { total: 10_000, perClient: 10_000 };

/** A client in this process controls how many requests it sends. */
const NO_LIMITS: DelayLimits = { total: Infinity, perClient: Infinity };

/** Creates the service with its static files. */
function createServiceApp(now: ServiceOptions["now"], getEnvironment: () => Promise<StoreEnv>) {
  const { app: service, ...controls } = createApp({
    now,
    getDelayLimits: (c) => (c.executionCtx.props.address === undefined ? NO_LIMITS : SERVER_LIMITS),
  });
  const app: App = async (request, address) => {
    const file = respondWithFile(request, { canCompress: address !== undefined });
    if (file) return file;
    // The client's address is a property, because clients could forge a header.
    const context = { waitUntil() {}, passThroughOnException() {}, props: { address } };
    return service.fetch(request, await getEnvironment(), context);
  };
  return { app, ...controls };
}
