import { isIP } from "node:net";
import { hostname } from "node:os";
import { Readable } from "node:stream";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { SettingError } from "../../src/bindings.ts";
import { MAX_HEADER_LENGTH } from "../../src/http/request.ts";
import { parseUtcTime } from "../../src/records/utc-time.ts";
import { readBytes } from "../data/formats/input-file.ts";
import { InputError, TooLargeError } from "../data/formats/problem.ts";
import type { Prefer } from "./index.d.ts";
import { type Respond, toReply } from "./respond.ts";
import type { ServiceControls } from "./service.ts";
import { InvalidOptionsError } from "./service-options.ts";

/*
 * The paths below /__admin/ of the option --admin, with which tests in any language control the service. Web pages cannot: their requests
 * have the header `Origin`, or the name of a host that somebody has claimed for them.
 */

/**
 * Returns a function that responds to requests below /__admin/ itself, and to all others as the service does.
 * @param options `isOn`: whether the command has the option. `host`: the name that the server listens on
 */
export function addAdmin(
  controls: ServiceControls,
  { isOn, host }: { isOn: boolean; host: string },
): Respond {
  // A path may end with a slash.
  const admin = new Hono({ strict: false });
  admin.use((c, next) => {
    c.header("X-Content-Type-Options", "nosniff");
    return next();
  });
  if (isOn) addPaths(admin, controls, host);
  const detail = isOn ? "Not found." : "Not found. The command needs --admin for the paths below /__admin/.";
  admin.notFound((c) => c.json({ detail }, 404));
  return async (request, client) => {
    const isAdmin = /^https?:\/\/[^/]+\/__admin(?:[/?]|$)/.test(request.url);
    return isAdmin && URL.canParse(request.url)
      ? toReply(await admin.fetch(request))
      : controls.respond(request, client);
  };
}

function addPaths(admin: Hono, controls: ServiceControls, host: string): void {
  admin.use(rejectPages(["localhost", hostname(), host]));
  for (const [path, actions] of Object.entries(createActions(controls))) {
    for (const [method, action] of Object.entries(actions)) admin.on(method, path, perform(action));
    const headers = { Allow: Object.keys(actions).join(", ") };
    admin.all(path, (c) => c.json({ detail: `Method "${c.req.method}" not allowed.` }, 405, headers));
  }
  admin.onError((error, c) => {
    const status = getStatus(error);
    if (status === undefined) throw error;
    return c.json({ detail: error.message }, status);
  });
}

/** Acts on the body of a request. A result is the JSON of the response. */
type Action = (body: Readable) => unknown;

/** Creates the actions of each path and method. */
function createActions(controls: ServiceControls): Record<string, Record<string, Action>> {
  const { service, clock, replaceByBody } = controls;
  const initial = { prefer: service.prefer, now: clock.now };
  const setFaults = (prefer: Prefer) => {
    service.prefer = prefer;
  };
  const setClock = (now: () => number) => {
    clock.now = now;
  };
  const restoreAll = async () => {
    setClock(initial.now);
    setFaults(initial.prefer);
    await service.replace();
    service.reset();
  };
  return {
    "/__admin": { DELETE: restoreAll },
    // Also resets the counts of `times` and `rate`, which count requests, too.
    "/__admin/requests": { GET: () => ({ requests: service.requests }), DELETE: service.reset },
    "/__admin/prefer": {
      GET: () => ({ prefer: service.prefer }),
      PUT: async (body) => setFaults(await readFaults(body)),
      DELETE: () => setFaults(initial.prefer),
    },
    "/__admin/now": {
      PUT: async (body) => setClock(await readClock(body)),
      DELETE: () => setClock(initial.now),
    },
    "/__admin/records": { PUT: replaceByBody, DELETE: () => service.replace() },
  };
}

function perform(action: Action) {
  return async (c: Context) => {
    const result = await useBody(c.req.raw, action);
    return result === undefined ? c.body(null, 204) : c.json(result);
  };
}

/**
 * Names that only this machine or its operator can claim: without a dot, as in a network of containers, or in a reserved domain. Anyone on
 * the network can claim a name in `.local`, but Kubernetes has `.cluster.local`.
 */
const PRIVATE_NAME = /^(?:[^.]+|localhost\.|.+\.(?:cluster\.local|internal|localhost)\.?)$/;

const NO_PAGES = "Web pages cannot use these paths: remove the header Origin.";

/** Rejects web pages, also those whose own name leads to this machine (DNS rebinding), so that their requests have no `Origin`. */
function rejectPages(names: string[]): MiddlewareHandler {
  const known = names.map((name) => name.toLowerCase());
  return async (c, next) => {
    if (c.req.header("Origin") !== undefined) throw new HTTPException(403, { message: NO_PAGES });
    const name = new URL(c.req.url).hostname.replace(/^\[(.*)\]$/, "$1");
    const isPrivate = known.includes(name) || isIP(name) !== 0 || PRIVATE_NAME.test(name);
    if (isPrivate) return next();
    throw new HTTPException(403, {
      message: `A web page could have the host ${name}. Use an address or a name without a dot, or start the command with --host ${name}.`,
    });
  };
}

/** Reads faults: a text, which never begins with a bracket or a quote, or JSON, also that of GET. */
async function readFaults(body: Readable): Promise<Prefer> {
  const text = await readText(body);
  const value = /^\s*["[{]/.test(text) ? JSON.parse(text) : text;
  return Object.keys(value).join() === "prefer" ? value.prefer : value;
}

/** Reads the time at which a clock stands still. */
async function readClock(body: Readable): Promise<() => number> {
  const time = parseUtcTime((await readText(body)).trim());
  if (time !== undefined) return () => time;
  throw new HTTPException(400, { message: "The body must be a time in UTC such as 2030-01-31T12:00:00Z." });
}

async function readText(body: Readable): Promise<string> {
  const parts = await Array.fromAsync(readBytes({ file: "body", body, maxBytes: MAX_HEADER_LENGTH }));
  // Without a byte order mark.
  return new TextDecoder().decode(Buffer.concat(parts));
}

/** How much is read of a body after its error. */
const MAX_REST_BYTES = 64_000_000;

/**
 * Runs an action with the body of a request. If the action does not read all of it, reads the rest: a client that is still sending would
 * not get the response, and could not use its connection again.
 */
async function useBody({ body, headers }: Request, action: Action): Promise<unknown> {
  const reader = body?.getReader();
  async function* read() {
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) yield part.value;
  }
  try {
    requireWholeBody(headers);
    return await action(Readable.from(read()));
  } finally {
    let size = 0;
    for await (const { length } of read()) {
      size += length;
      if (size > MAX_REST_BYTES) break;
    }
  }
}

/** @throws HTTPException if the body is a form or a part of a file, or has an encoding that cannot be read */
function requireWholeBody(headers: Headers): void {
  const encoding = headers.get("Content-Encoding") ?? "identity";
  if (!/^(?:(?:x-)?gzip|identity)$/i.test(encoding))
    throw new HTTPException(415, { message: `The Content-Encoding must be gzip, not ${encoding}.` });
  const isForm = headers.get("Content-Type")?.startsWith("multipart/");
  if (isForm || headers.has("Content-Range")) throw new HTTPException(400, { message: NO_PART });
}

const NO_PART =
  "Send the whole file as the body, not a form or a range: curl -T FILE, or data= instead of files=.";

const CONTENT_ERRORS = [InputError, SettingError, InvalidOptionsError, SyntaxError];

/** Returns the status of an error about a request, and undefined for a bug. */
function getStatus(error: Error): ContentfulStatusCode | undefined {
  if (error instanceof HTTPException) return error.status;
  if (error instanceof TooLargeError) return 413;
  return CONTENT_ERRORS.some((type) => error instanceof type) ? 400 : undefined;
}
