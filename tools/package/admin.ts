import { isIP } from "node:net";
import { hostname } from "node:os";
import { Readable } from "node:stream";
import { Hono } from "hono";
import { type AppEnv, type AppMiddleware, SettingError } from "../../src/bindings.ts";
import { HttpError, rejectOtherMethods } from "../../src/http/errors.ts";
import { MAX_HEADER_LENGTH } from "../../src/http/request.ts";
import { parseUtcTime } from "../../src/records/utc-time.ts";
import { readBytes } from "../data/formats/input-file.ts";
import { InputError, MAX_BODY_BYTES, TooLargeError } from "../data/formats/problem.ts";
import type { Prefer } from "./index.d.ts";
import { createErrorResponse, type Respond, toReply } from "./respond.ts";
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
  const admin = new Hono<AppEnv>({ strict: false });
  admin.use(async (c, next) => {
    await next();
    c.header("X-Content-Type-Options", "nosniff");
  });
  if (isOn) addPaths(admin, controls, host);
  const detail = isOn ? "Not found." : "Not found. The command needs --admin for the paths below /__admin/.";
  admin.notFound(() => createErrorResponse(new HttpError(404, { detail })));
  admin.onError(respondWithError);
  return async (request, client) => {
    const isAdmin = /^https?:\/\/[^/]+\/__admin(?:[/?]|$)/.test(request.url);
    return isAdmin && URL.canParse(request.url)
      ? toReply(await admin.fetch(request))
      : controls.respond(request, client);
  };
}

function addPaths(admin: Hono<AppEnv>, controls: ServiceControls, host: string): void {
  admin.use(rejectPages([hostname(), host]));
  for (const [path, actions] of Object.entries(createActions(controls))) {
    for (const [method, action] of Object.entries(actions))
      admin.on(method, path, (c) => perform(action, c.req.raw));
    admin.all(path, rejectOtherMethods(Object.keys(actions).join(", ")));
  }
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
  const actions = {
    "/__admin/prefer": {
      GET: () => ({ prefer: service.prefer }),
      PUT: async (body: Readable) => setFaults(await readFaults(body)),
      DELETE: () => setFaults(initial.prefer),
    },
    "/__admin/now": {
      PUT: async (body: Readable) => setClock(await readClock(body)),
      DELETE: () => setClock(initial.now),
    },
    "/__admin/records": { PUT: replaceByBody, DELETE: () => service.replace() },
    // Last, because it also resets the counts of `times` and `rate`: `restoreAll` keeps this order.
    "/__admin/requests": { GET: () => ({ requests: service.requests }), DELETE: service.reset },
  };
  const restoreAll = async () => {
    for (const { DELETE } of Object.values(actions)) await DELETE();
  };
  return { ...actions, "/__admin": { DELETE: restoreAll } };
}

/**
 * Names that only this machine or its operator can claim: without a dot, as in a network of containers, or in a reserved domain. Anyone on
 * the network can claim a name in `.local`, but Kubernetes has `.cluster.local`.
 */
const PRIVATE_NAME = /^(?:[^.]+|localhost\.|.+\.(?:cluster\.local|internal|localhost)\.?)$/;

const NO_PAGES = "Web pages cannot use these paths: remove the header Origin.";

/** Rejects web pages, also those whose own name leads to this machine (DNS rebinding), so that their requests have no `Origin`. */
function rejectPages(names: string[]): AppMiddleware {
  const known = names.map((name) => name.toLowerCase());
  return async (c, next) => {
    if (c.req.header("Origin") !== undefined) throw new HttpError(403, { detail: NO_PAGES });
    const name = new URL(c.req.url).hostname.replace(/^\[(.*)\]$/, "$1");
    const isPrivate = known.includes(name) || isIP(name) !== 0 || PRIVATE_NAME.test(name);
    if (isPrivate) return next();
    throw new HttpError(403, {
      detail: `A web page could have the host ${name}. Use an address or a name without a dot, or start the command with --host ${name}.`,
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
  throw new HttpError(400, { detail: "The body must be a time in UTC such as 2030-01-31T12:00:00Z." });
}

async function readText(body: Readable): Promise<string> {
  const parts = await Array.fromAsync(readBytes({ file: "body", body, maxBytes: MAX_HEADER_LENGTH }));
  // Without a byte order mark.
  return new TextDecoder().decode(Buffer.concat(parts));
}

const NO_PART =
  "Send the whole file as the body, not a form or a range: curl -T FILE, or data= instead of files=.";

/**
 * Performs an action with the body of a request. If the action does not read all of it, reads the rest: a client that is still sending
 * would not get the response, and could not use its connection again.
 */
async function perform(action: Action, { body, headers }: Request): Promise<Response> {
  const reader = body?.getReader();
  async function* read() {
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) yield part.value;
  }
  try {
    const isForm = headers.get("Content-Type")?.startsWith("multipart/");
    if (isForm || headers.has("Content-Range")) throw new HttpError(400, { detail: NO_PART });
    const result = await action(Readable.from(read()));
    return result === undefined ? new Response(null, { status: 204 }) : Response.json(result);
  } finally {
    let size = 0;
    for await (const { length } of read()) {
      size += length;
      if (size > MAX_BODY_BYTES) break;
    }
  }
}

const CONTENT_ERRORS = [InputError, SettingError, InvalidOptionsError, SyntaxError];

/** @throws the error if it is a bug */
function respondWithError(error: Error): Response {
  if (error instanceof HttpError) return createErrorResponse(error);
  const { message: detail } = error;
  if (error instanceof TooLargeError) return createErrorResponse(new HttpError(413, { detail }));
  if (!CONTENT_ERRORS.some((type) => error instanceof type)) throw error;
  return createErrorResponse(new HttpError(400, { detail }));
}
