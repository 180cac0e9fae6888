import { isIP } from "node:net";
import { hostname } from "node:os";
import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { type Context, Hono, type HonoRequest, type MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { InputError } from "../data/formats/problem.ts";
import { readCollection } from "../data/read-records.ts";
import { stageFiles } from "../data/staging/staging.ts";
import { getMessage } from "../messages.ts";
import type { ReceivedRequest, Service, ServiceOptions, TrafficRecord } from "./index.d.ts";
import type { Respond } from "./respond.ts";

/*
 * The paths below /__admin/ of the option --admin, with which tests in any language control the service. Web pages cannot: no response
 * allows another origin, only PUT and DELETE, which need a preflight, have effects, and the host of a request must be an address or a
 * name of this machine.
 */

export interface AdminOptions extends Pick<ServiceOptions, "modelName"> {
  /** The name that the server listens on. */
  host: string;
}

/** Returns a function that responds to requests below /__admin/ itself, and passes all others on. */
export function addAdmin(service: Service, respond: Respond, options: AdminOptions): Respond {
  // With 10,000 requests of 3 KB in the list, the process then takes 150 MB instead of 340.
  setFlagsFromString("--optimize-for-size");
  const admin = createAdmin(service, options);
  return (request, address) => {
    const isAdmin = new URL(request.url).pathname.startsWith("/__admin/");
    return isAdmin ? admin.fetch(request) : respond(request, address);
  };
}

function createAdmin(service: Service, { host, modelName }: AdminOptions): Hono {
  const admin = new Hono();
  const faultsOfCommand = service.prefer;
  const setFaults = (c: Context) => replaceFaults(service, c.req);
  const restoreFaults = () => {
    service.prefer = faultsOfCommand;
  };
  const replaceRecords = async (c: Context) => service.replace(await readBody(c.req.raw, modelName));
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
    const status = error instanceof HTTPException ? error.status : 500;
    return c.json({ detail: getMessage(error) }, status);
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

/** Rejects names of other machines: a web page can let its own name lead to this machine (DNS rebinding). */
function requireHost(names: string[]): MiddlewareHandler {
  const known = names.map((name) => name.toLowerCase());
  return async (c, next) => {
    const name = new URL(c.req.url).hostname.replace(/^\[(.*)\]$/, "$1");
    if (known.includes(name) || isIP(name) !== 0) return next();
    throw new HTTPException(403, {
      message: `The host ${name} is not a name of this machine. Use its address, or --host.`,
    });
  };
}

function toJson({ headers, ...received }: ReceivedRequest) {
  return { ...received, headers: Object.fromEntries(headers) };
}

/** @throws HTTPException 400 if an option is unknown or invalid */
async function replaceFaults(service: Service, request: HonoRequest): Promise<void> {
  const isJson = request.header("Content-Type")?.includes("json") ?? false;
  try {
    service.prefer = isJson ? await request.json() : await request.text();
  } catch (error) {
    throw new HTTPException(400, { message: getMessage(error) });
  }
}

/** Reads the records in a body, as `load` reads a file. @throws HTTPException 400 with the list of problems */
async function readBody({ body }: Request, modelName: AdminOptions["modelName"]): Promise<TrafficRecord[]> {
  const stdin = Readable.from(body ?? []);
  try {
    const staged = await stageFiles(["-"], { stdin, modelName, isInMemory: true });
    return await Array.fromAsync(readCollection(staged)).finally(staged.close);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // In a command, "-" is standard input.
    throw new HTTPException(400, { message: error.message.replaceAll(/^-(?=:)/gm, "body") });
  }
}
