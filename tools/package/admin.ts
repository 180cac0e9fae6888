import { isIP } from "node:net";
import { hostname } from "node:os";
import { Readable } from "node:stream";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { SettingError } from "../../src/setting-error.ts";
import { InputError } from "../data/formats/problem.ts";
import { getMessage } from "../messages.ts";
import type { PreferOptions, ReceivedRequest } from "./index.d.ts";
import { type Respond, toReply } from "./respond.ts";
import type { ServiceControls } from "./service.ts";
import { InvalidOptionsError } from "./service-options.ts";

/*
 * The paths below /__admin/ of the option --admin, with which tests in any language control the service. Web pages cannot: no response
 * allows another origin, only PUT and DELETE, which need a preflight, have effects, and the host of a request must be an address, a name
 * of this machine, or a name that the public DNS does not have.
 */

interface AdminOptions {
  /** The name that the server listens on. */
  host: string;
}

/** Returns a function that responds to requests below /__admin/ itself, and passes all others on. */
export function addAdmin(respond: Respond, controls: ServiceControls, options: AdminOptions): Respond {
  const admin = createAdmin(controls, options);
  return async (request, address) => {
    const isAdmin = URL.parse(request.url)?.pathname.startsWith("/__admin/") ?? false;
    if (!isAdmin) return respond(request, address);
    return toReply(await admin.fetch(request));
  };
}

function createAdmin({ service, replaceByBody }: ServiceControls, { host }: AdminOptions): Hono {
  const admin = new Hono();
  const faultsOfCommand = service.prefer;
  const setFaults = async ({ req }: Context) => {
    const faults = await readFaults(req.raw);
    await requireValid(() => {
      service.prefer = faults;
    });
  };
  const restoreFaults = () => {
    service.prefer = faultsOfCommand;
  };
  const replaceRecords = ({ req }: Context) =>
    requireValid(() => replaceByBody(Readable.from(req.raw.body ?? [])));
  const restoreRecords = () => service.replace();
  const restoreAll = async () => {
    restoreFaults();
    await restoreRecords();
    service.reset();
  };

  admin.use(requireHost(["localhost", hostname(), host]));

  admin.get("/__admin/requests", (c) => c.json({ requests: service.requests.map(toJson) }));
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

  admin.delete("/__admin/", perform(restoreAll));
  admin.all("/__admin/", rejectMethod("DELETE"));

  admin.notFound((c) => c.json({ detail: "Not found." }, 404));
  admin.onError((error, c) => {
    if (!(error instanceof HTTPException)) throw error;
    return c.json({ detail: error.message }, error.status);
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

function toJson({ headers, ...received }: ReceivedRequest) {
  return { ...received, headers: Object.fromEntries(headers) };
}

/**
 * Reads the faults in a body: JSON if its type says so, and otherwise text.
 * @throws HTTPException 400 if it is not JSON, or if it is JSON of another type
 */
async function readFaults(request: Request): Promise<PreferOptions | string> {
  const text = await request.text();
  const [type = ""] = (request.headers.get("Content-Type") ?? "").toLowerCase().split(";");
  const isJson = /[/+]json$/.test(type.trim());
  const looksLikeJson = /^\s*[[{]/.test(text);
  if (!isJson && looksLikeJson)
    throw new HTTPException(400, { message: "Send JSON with the Content-Type application/json." });
  if (!isJson) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HTTPException(400, { message: `The body is not JSON: ${getMessage(error)}` });
  }
}

/**
 * Runs an action that checks what a body contains.
 * @throws HTTPException 400 with the reason
 */
async function requireValid(action: () => void | Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    const isInvalid = [InputError, SettingError, InvalidOptionsError].some((type) => error instanceof type);
    if (!isInvalid) throw error;
    throw new HTTPException(400, { message: getMessage(error) });
  }
}
