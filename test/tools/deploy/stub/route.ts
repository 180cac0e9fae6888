import type { Databases } from "./databases.ts";

/** A stub of the part of Cloudflare's API that wrangler uses to deploy this project. */
export interface Api {
  origin: string;
  databases: Databases;
  namespaces: { id: string; title: string }[];
  /** The content of the namespaces, by their ids. */
  pairs: Map<string, Map<string, string>>;
  /** The names of the previews. */
  previews: Set<string>;
  /** The deployed versions of the worker, with their uploaded metadata; the last one is served. */
  versions: { id: string; metadata: string }[];
  /** The cron triggers of the worker. */
  schedules: string[];
  /** How many cron triggers the account has left. */
  cronTriggers: number;
  /** Whether the account has a subdomain of workers.dev. */
  hasSubdomain: boolean;
  /** The values of `Authorization` in all requests. */
  tokens: Set<string>;
  /** Whether the terms were accepted for a temporary account. */
  terms: string | undefined;
  /** The next request whose method and URL match gets 503 from something in front of the API. */
  refused: RegExp | undefined;
  /** The requests that no route matches. */
  unknown: string[];
  close(): Promise<void>;
}

export interface ApiRequest {
  method: string;
  /** The path below that of the account, with the query. */
  path: string;
  body: string;
  api: Api;
}

/** An error response of the API. */
export class ApiError extends Error {
  status: number;
  code: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Matches method and path, and returns the `result` of the response. */
export type Route = [RegExp, (request: ApiRequest, ...parts: string[]) => unknown];

export function throwApiError(status: number, code: number, message: string): never {
  throw new ApiError(status, code, message);
}
