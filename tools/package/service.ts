import { createApp } from "../../src/app.ts";
import type { AppliedOptions } from "../../src/faults/applied-options.ts";
import { formatOptions } from "../../src/faults/option-table.ts";
import { HttpError } from "../../src/http/errors.ts";
import type { StoreEnv } from "../../src/store/create-store.ts";
import { createEnvironments } from "./environments.ts";
import { fetchFrom } from "./fetch.ts";
import type { ReceivedRequest, Service, ServiceOptions } from "./index.d.ts";
import { listen } from "./listen.ts";
import type { LoadReporting } from "./load-records.ts";
import { createRequestList, type RequestList } from "./request-list.ts";
import { createErrorResponse, type Respond, toReply } from "./respond.ts";
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
  const clock = { now: options.now ?? (() => Date.now()) };
  const environments = createEnvironments(options, { ...hooks, onReplaced: () => reset() });
  const { variables, replaceByBody, reload } = environments;
  const list = createRequestList();
  const { respond, reset, endWaits } = createResponder(clock, environments.getEnvironment, list, hooks);
  // Begins the growth of `grow`.
  const ready = environments.ready.then(reset);
  // An unhandled rejection would end the process. All methods reject with the same error.
  ready.catch(() => {});
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
  // So that in strict mode, an option which is set later, such as `service.faults`, is an error.
  return { service: Object.preventExtensions(service), respond, clock, replaceByBody, reload };
}

/** More than any test opens. */
const MAX_WAITING = 20_000;

/** Creates a function that responds as a server does. It rejects if the service has a bug, or misses a file. */
function createResponder(
  clock: { now(): number },
  getEnvironment: () => Promise<StoreEnv>,
  list: RequestList,
  { onResponse, notesRequests = true }: ServiceHooks,
) {
  const { app, ...controls } = createApp({ now: () => clock.now(), maxWaiting: MAX_WAITING });
  const respond: Respond = async (request, client) => {
    if (!isValidUrl(request.url)) return toReply(createErrorResponse(new HttpError(400)));
    // Without a reader, a request needs no copy of its headers.
    const received = notesRequests ? list.add(request) : undefined;
    let applied: AppliedOptions | undefined;
    /** Called when the fault options of a request are known, before a wait, and again with those that affected the response. */
    const onApplied = (noted: AppliedOptions) => {
      applied = noted;
      const { options, changes, warnings } = noted;
      if (received) Object.assign(received, { applied: formatOptions(options), changes, warnings });
    };
    // The client's address is a property, because clients could forge a header.
    const context = { waitUntil() {}, passThroughOnException() {}, props: { ...client, onApplied } };
    try {
      const file = respondWithFile(request);
      const response = file ?? (await app.fetch(request, await getEnvironment(), context));
      if (applied?.isClosed) return { kind: "closed" };
      if (received) received.status = response.status;
      return toReply(response, applied?.options);
    } finally {
      if (received) onResponse?.(received);
    }
  };
  return { respond, ...controls };
}

/**
 * Whether the service accepts the URL of a request. The host may contain only the characters of a name, an address and a port, because links
 * and shell commands repeat the host. So a URL has no credentials, which are an error (RFC 9110, 4.2.4).
 */
function isValidUrl(url: string): boolean {
  return /^https?:\/\/[\w.:[\]-]+\//.test(url) && URL.canParse(url);
}
