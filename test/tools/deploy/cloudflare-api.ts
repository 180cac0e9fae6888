import type { DatabaseSync } from "node:sqlite";
import type { Context } from "hono";
import type { ListeningServer } from "../../support/free-port.ts";

/** A stub of the part of Cloudflare's API that the real wrangler uses for this project. */
export interface Cloudflare extends ListeningServer {
  /** D1 databases by their ids. */
  databases: Map<string, { name: string; sqlite: DatabaseSync }>;
  /** The subdomain of workers.dev; undefined if the account has none. */
  subdomain: string | undefined;
  /** The uploads of workers and, as `WORKER/PREVIEW`, of previews, newest last. */
  workers: Map<string, Upload[]>;
  /** The percentage of the requests that the newest version gets. The version before it gets the others. */
  newestShare: number;
  /** The source of the latest change of a worker. After a change from `api`, wrangler asks before it deploys. */
  lastDeployedFrom: "wrangler" | "api";
  /** The content of KV namespaces by their ids. */
  namespaces: Map<string, Map<string, string>>;
  /** Whether namespaces still look empty after a write. */
  isLagging: boolean;
  /** The keys that the next bulk write loses, although it succeeds. */
  lostKeys: RegExp | undefined;
  /** The next request whose method and URL match is rejected. */
  rejected: RegExp | undefined;
  /** The error code of this request. If there is none, the response is a 503 from a proxy of the API. */
  rejectionCode: number | undefined;
  /** Called for each request. While the promise that it returns is pending, the request waits. */
  onRequest: ((request: Request) => Promise<unknown> | undefined) | undefined;
  /** How many requests of `/healthz` still get the previous version. */
  lateResponses: number;
  /** The paths of the deployed worker that were requested. */
  checked: Set<string>;
  /** A header that the deployed worker does not send. */
  missingHeader: string | undefined;
  /** The requests that no route matches. */
  unknown: string[];
}

export type Binding = Record<"type" | "name", string>;

export interface Upload {
  id: string;
  created_on: string;
  bindings: Binding[];
  tag: string | undefined;
  message: string | undefined;
}

/** Creates an error with Cloudflare's error code. */
export const createApiError = (code: number, message: string) => Object.assign(new Error(message), { code });

/** Adds a route below the path of the account. The function returns the `result` of the response. */
export type AddRoute = (
  method: "get" | "post" | "put" | "patch" | "delete",
  path: string,
  handle: (c: Context) => unknown,
) => void;
