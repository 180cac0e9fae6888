import { isIP } from "node:net";
import { hostname } from "node:os";
import { Readable } from "node:stream";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { SettingError } from "../../src/bindings.ts";
import { MAX_HEADER_LENGTH } from "../../src/http/request.ts";
import { readBytes } from "../data/formats/input-file.ts";
import { InputError, TooLargeError } from "../data/formats/problem.ts";
import type { Prefer } from "./index.d.ts";
import { type Respond, toReply } from "./respond.ts";
import type { ServiceControls } from "./service.ts";
import { InvalidOptionsError } from "./service-options.ts";

/*
 * The paths below /__admin/ of the option --admin, with which tests in any language control the service. Web pages cannot: no response
 * allows another origin, only PUT and DELETE, which need a preflight, have effects, and the host of a request must be an address, a name
 * of this machine, or a name that the public DNS does not have.
 */

/**
 * Returns a function that responds to requests below /__admin/ itself, and to all others as the service does.
 * @param host The name that the server listens on
 */
export function addAdmin(controls: ServiceControls, host: string): Respond {
  const admin = createAdmin(controls, host);
  return async (request, address) => {
    const isAdmin = /^\/__admin(?:\/|$)/.test(URL.parse(request.url)?.pathname ?? "");
    if (!isAdmin) return controls.respond(request, address);
    return toReply(await admin.fetch(request));
  };
}

function createAdmin({ service, replaceByBody }: ServiceControls, host: string): Hono {
  // A path may end with a slash.
  const admin = new Hono({ strict: false });
  const faultsOfCommand = service.prefer;
  const setFaults = ({ req }: Context) =>
    useBody(req.raw, async (body) => {
      service.prefer = await readFaults(body);
    });
  const restoreFaults = () => {
    service.prefer = faultsOfCommand;
  };
  const replaceRecords = ({ req }: Context) => useBody(req.raw, replaceByBody);
  const restoreRecords = () => service.replace();
  const restoreAll = async () => {
    restoreFaults();
    await restoreRecords();
    service.reset();
  };

  admin.use(requireHost(["localhost", hostname(), host]));

  admin.get("/__admin/requests", (c) => c.json({ requests: service.requests }));
  // Also resets the counts of `times` and `rate`, which count requests, too.
  admin.delete("/__admin/requests", perform(service.reset));
  admin.all("/__admin/requests", rejectMethod("GET, DELETE"));

  admin.get("/__admin/prefer", (c) => c.json({ prefer: service.prefer }));
  admin.put("/__admin/prefer", perform(setFaults));
  admin.delete("/__admin/prefer", perform(restoreFaults));
  admin.all("/__admin/prefer", rejectMethod("GET, PUT, DELETE"));

  admin.put("/__admin/records", perform(replaceRecords));
  admin.delete("/__admin/records", perform(restoreRecords));
  admin.all("/__admin/records", rejectMethod("PUT, DELETE"));

  admin.delete("/__admin", perform(restoreAll));
  admin.all("/__admin", rejectMethod("DELETE"));

  admin.notFound((c) => c.json({ detail: "Not found." }, 404));
  admin.onError((error, c) => {
    const status = getStatus(error);
    if (status === undefined) throw error;
    return c.json({ detail: error.message }, status);
  });
  return admin;
}

function perform(action: (c: Context) => void | Promise<void>) {
  return async (c: Context) => {
    await action(c);
    return c.body(null, 204);
  };
}

function rejectMethod(allow: string) {
  return (c: Context) => c.json({ detail: `Method "${c.req.method}" not allowed.` }, 405, { Allow: allow });
}

/**
 * Names that the public DNS does not have: without a dot, as in a network of containers, or in a reserved domain (RFC 6761, RFC 6762, and
 * `internal`).
 */
const PRIVATE_NAME = /^(?:[^.]+|localhost\.|.+\.(?:localhost|internal|local|test)\.?)$/;

/** Rejects names that the public DNS can have: a web page can let its own name lead to this machine (DNS rebinding). */
function requireHost(names: string[]): MiddlewareHandler {
  const known = names.map((name) => name.toLowerCase());
  return async (c, next) => {
    const name = new URL(c.req.url).hostname.replace(/^\[(.*)\]$/, "$1");
    const isPrivate = known.includes(name) || isIP(name) !== 0 || PRIVATE_NAME.test(name);
    if (isPrivate) return next();
    throw new HTTPException(403, {
      message: `The public DNS can have the host ${name}. Use an address or a name without a dot, or start the command with --host ${name}.`,
    });
  };
}

/** Reads faults: JSON, or a text, which never begins with a bracket or a quote. */
async function readFaults(body: Readable): Promise<Prefer> {
  const parts = await Array.fromAsync(readBytes({ file: "body", body, maxBytes: MAX_HEADER_LENGTH }));
  const text = Buffer.concat(parts).toString();
  return /^\s*["[{]/.test(text) ? JSON.parse(text) : text;
}

/** How much is read of a body after its error. */
const MAX_REST_BYTES = 64_000_000;

/**
 * Runs an action with the body of a request. If the action does not read all of it, reads the rest: a client that is still sending would
 * not get the response, and could not use its connection again.
 */
async function useBody({ body, headers }: Request, action: (body: Readable) => Promise<void>): Promise<void> {
  const reader = body?.getReader();
  async function* read() {
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) yield part.value;
  }
  try {
    if (headers.get("Content-Type")?.startsWith("multipart/"))
      throw new HTTPException(400, { message: NO_FORM });
    await action(Readable.from(read()));
  } finally {
    let size = 0;
    for await (const { length } of read()) {
      size += length;
      if (size > MAX_REST_BYTES) break;
    }
  }
}

const NO_FORM = "Send the file itself as the body, not a form: curl -T FILE, or data= instead of files=.";

const CONTENT_ERRORS = [InputError, SettingError, InvalidOptionsError, SyntaxError];

/** Returns the status of an error about a request, and undefined for a bug. */
function getStatus(error: Error): ContentfulStatusCode | undefined {
  if (error instanceof HTTPException) return error.status;
  if (error instanceof TooLargeError) return 413;
  return CONTENT_ERRORS.some((type) => error instanceof type) ? 400 : undefined;
}
