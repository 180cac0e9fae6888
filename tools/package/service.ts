import { createApp } from "../../src/app.ts";
import type { StoreEnv } from "../../src/store/create-store.ts";
import { createEnvironments, createVariables } from "./environments.ts";
import { fetchFrom } from "./fetch.ts";
import type { ReceivedRequest, Service, ServiceOptions } from "./index.d.ts";
import { listen } from "./listen.ts";
import type { LoadReporting } from "./load-collection.ts";
import { createRequestList } from "./request-list.ts";
import { type App, createResponder, type Respond } from "./respond.ts";
import { formatFaults, requireServiceOptions } from "./service-options.ts";
import { respondWithFile } from "./static-files.ts";

/** Hooks for the package's command. The hooks are not part of the public interface. */
export interface ServiceHooks extends LoadReporting {
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
  const { app: service, reset } = createApp({ now });
  const app: App = async (request, address) => {
    const file = respondWithFile(request);
    if (file) return file;
    // The client's address is a property, because clients could forge a header.
    const context = { waitUntil() {}, passThroughOnException() {}, props: { address } };
    return service.fetch(request, await getEnvironment(), context);
  };
  return { app, reset };
}
