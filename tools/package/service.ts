import type { Readable } from "node:stream";
import { createApp } from "../../src/app.ts";
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
  const { now = () => Date.now() } = options;
  const environments = createEnvironments(variables, options, hooks);
  const { app, reset, endWaits } = createServiceApp(now, environments.getEnvironment);
  // Begins the growth of `grow`.
  const ready = environments.ready.then(reset);
  const replaceByBody = (body: Readable) => environments.replaceByBody(body).then(reset);
  const { onResponse, listsRequests = true, wrapResponder = (respond) => respond } = hooks;
  const list = createRequestList(now);
  // Without a reader, a request needs no copy of its headers.
  const note = onResponse && ((request: Request) => createReceivedRequest(request, now()));
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
    replace: (records) => environments.replace(records).then(reset),
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

/** More than any test opens. */
const MAX_DELAYED = 20_000;

/** Creates the service with its static files. */
function createServiceApp(now: () => number, getEnvironment: () => Promise<StoreEnv>) {
  const { app: service, ...controls } = createApp({ now, maxDelayed: MAX_DELAYED });
  const app: App = async (request, client) => {
    const file = respondWithFile(request, { canCompress: client.address !== undefined });
    if (file) return file;
    // The client's address is a property, because clients could forge a header.
    const context = { waitUntil() {}, passThroughOnException() {}, props: client };
    return service.fetch(request, await getEnvironment(), context);
  };
  return { app, ...controls };
}
