import { isIP } from "node:net";
import { hostname } from "node:os";
import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { type Context, Hono, type HonoRequest, type MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { decodeRange, parseBlock } from "../../src/store/block.ts";
import { InputError } from "../data/formats/problem.ts";
import { stageFiles } from "../data/staging/staging.ts";
import { getMessage } from "../messages.ts";
import type { ReceivedRequest, Service, ServiceOptions, TrafficRecord } from "./index.d.ts";
import type { Respond } from "./respond.ts";

/*
 * The paths below /__admin/ of the option --admin, with which tests in any language control the service. Web pages cannot: no response
 * allows another origin, only PUT and DELETE, which need a preflight, have effects, and the host of a request must be of this machine.
 */

export interface AdminOptions extends Pick<ServiceOptions, "modelName"> {
  /** The name that the server listens on. */
  host: string;
}

/** Returns a function that responds to requests below /__admin/ itself, and passes all others on. */
export function addAdmin(service: Service, respond: Respond, options: AdminOptions): Respond {
  // Otherwise, V8 lets the memory grow to several times of what the list of requests needs before it collects garbage.
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
  const restoreFaults = () => {
    service.prefer = faultsOfCommand;
  };
  const respondWithNothing = (c: Context) => c.body(null, 204);

  admin.use(requireHost(["localhost", hostname(), host]));

  admin.get("/__admin/requests", (c) => c.json({ requests: service.requests.map(toJson) }));
  admin.get("/__admin/prefer", (c) => c.json({ prefer: service.prefer }));
  admin.put("/__admin/prefer", async (c) => {
    await replaceFaults(service, c.req);
    return respondWithNothing(c);
  });
  admin.put("/__admin/records", async (c) => {
    await service.replace(await readRecords(c.req.raw, modelName));
    return respondWithNothing(c);
  });
  admin.delete("/__admin/requests", (c) => {
    service.reset();
    return respondWithNothing(c);
  });
  admin.delete("/__admin/prefer", (c) => {
    restoreFaults();
    return respondWithNothing(c);
  });
  admin.delete("/__admin/records", async (c) => {
    await service.replace();
    return respondWithNothing(c);
  });
  admin.delete("/__admin/", async (c) => {
    restoreFaults();
    await service.replace();
    service.reset();
    return respondWithNothing(c);
  });
  respondToErrors(admin);
  return admin;
}

/** The methods of each path. */
const METHODS = {
  "/__admin/requests": "GET, DELETE",
  "/__admin/prefer": "GET, PUT, DELETE",
  "/__admin/records": "PUT, DELETE",
  "/__admin/": "DELETE",
};

function respondToErrors(admin: Hono): void {
  for (const [path, allow] of Object.entries(METHODS))
    admin.all(path, (c) =>
      c.json({ detail: `Method "${c.req.method}" not allowed.` }, 405, { Allow: allow }),
    );
  admin.notFound((c) => c.json({ detail: "Not found." }, 404));
  admin.onError((error, c) =>
    c.json({ detail: getMessage(error) }, error instanceof HTTPException ? error.status : 500),
  );
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
async function readRecords(
  { body }: Request,
  modelName: AdminOptions["modelName"],
): Promise<TrafficRecord[]> {
  const stdin = Readable.from(body ?? []);
  try {
    const { count, blocks, close } = await stageFiles(["-"], { stdin, modelName, isInMemory: true });
    const ofRecords = [...blocks()].filter(({ number }) => number > 0);
    close();
    const lines = ofRecords.map(({ number, text }) => parseBlock(count, number, text));
    return decodeRange({ first: 1, last: count }, lines);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // In a command, "-" is standard input.
    throw new HTTPException(400, { message: error.message.replaceAll(/^-(?=:)/gm, "body") });
  }
}
