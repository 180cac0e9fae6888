// The public interface of the package. The build replaces only the imports below. Clients need no Node types, only web types.
/// <reference lib="esnext.disposable" />

import type { PageChange } from "../../src/faults/page-faults.ts";
import type { TrafficRecord } from "../../src/records/schema.ts";

export type { PageChange, TrafficRecord };

/** A number, or the numbers from `min` to `max`, both included, which can also be a text such as `"7-9"`. */
type NumberOrRange = number | { min: number; max: number } | `${number}-${number}`;

/**
 * Faults: options such as `{ code: 503, times: 1 }`, an array of rules of which the first one whose conditions are met applies, or a text
 * such as `code=503,times=1,else,body=cut,times=1`.
 */
export type Prefer = PreferOptions | readonly PreferOptions[] | string;

/** The options of a rule. faults.md describes each option. */
export interface PreferOptions {
  code?: number | undefined;
  /** In milliseconds. */
  delay?: NumberOrRange | undefined;
  body?: "cut" | "slow" | "garbage" | "empty" | "html" | undefined;
  hang?: boolean | undefined;
  close?: boolean | undefined;
  /** In seconds. */
  "retry-after"?: number | "none" | "date" | undefined;
  rows?: "repeat" | "drop" | "swap" | undefined;
  count?: number | undefined;
  next?: "loop" | "null" | "skip" | undefined;
  record?: "float" | "null" | "missing" | "extra" | "offset" | undefined;
  grow?: { records: number; per: "s" | "m" | "h" } | undefined;
  /** Pages. */
  on?: readonly (NumberOrRange | "last")[] | undefined;
  until?: Date | undefined;
  times?: number | undefined;
  rate?: { requests: number; per: "s" | "m" | "h" } | undefined;
  /** A share of the requests, from 0 to 1. */
  fail?: number | undefined;
  seed?: number | undefined;
  none?: boolean | undefined;
}

/** A page, as the service sends it. */
export interface Page {
  count: number;
  next: string | null;
  previous: string | null;
  results: TrafficRecord[];
}

export interface ServiceOptions {
  /** The records in any order, or all pages with them. They are copied. The default is the sample data: 40,614 generated records. */
  records?: Iterable<TrafficRecord | Page> | undefined;
  /** Paths of files with the records: CSV, JSON Lines, pages or reports, each plain or gzipped; `-` is standard input. */
  files?: readonly string[] | undefined;
  /** Serves records of other models as records of this model. By default, other models are rejected. */
  modelName?: TrafficRecord["model_name"] | undefined;
  /** Where the records come from, for the header `Data-Source`. By default, the names of the files. */
  source?: string | undefined;
  /** The clock of `until`, `rate`, `grow` and `retry-after=date`: a function that returns milliseconds since 1970. */
  now?: (() => number) | undefined;
  /** The scheme, host and port of links. By default, links have the origin of the request. */
  publicOrigin?: string | undefined;
  /** With `off`, no request has faults, and `prefer` cannot be set. `on` by default. */
  faults?: "on" | "off" | undefined;
  /** The default faults for requests that set none, such as `{ fail: 0.05 }` or `"fail=0.05"`. */
  prefer?: Prefer | undefined;
}

export interface ListenOptions {
  /** The port, 8787 by default. With 0, the system chooses a free port. */
  port?: number | undefined;
  /** The host name or address, `localhost` by default: 127.0.0.1 and ::1. `0.0.0.0` listens on all IPv4 addresses. */
  host?: string | undefined;
  /** With `key`, the server uses TLS. The path of its certificate in PEM, followed by those of its issuers. */
  cert?: string | undefined;
  /** The path of the key of `cert`, in PEM. */
  key?: string | undefined;
}

export interface Server extends AsyncDisposable {
  /** The URL of the server, such as `http://localhost:8787`. */
  url: string;
  /**
   * Stops the server, as the end of a block with `await using` does. Responses are sent to their end, for at most 5 seconds, but the
   * connections of those that wait are closed. Resolves when the port can be used again.
   */
  close(): Promise<void>;
}

export interface ReceivedRequest {
  method: string;
  url: string;
  /** By their names in lower case. */
  headers: Record<string, string>;
  /** When the request was received, in milliseconds since 1970, by `Date.now`, not by the clock `now`. */
  receivedAt: number;
  /** The response status, also of a cut body. Null until the response is sent, and if its connection closed before. */
  status: number | null;
  /** The options that decided about the response, such as `code=503`. Before its wait, all of the rule that applies. */
  applied: string[];
  /** What they changed in the page: `{ option: "record", record: 3, id: 10311688, field: "cars", from: 2, to: null }`. */
  changes: PageChange[];
  /** Why options are not in effect, as in the header `Mock-Warning`. */
  warnings: string[];
}

export interface Service {
  /** Resolves when the records are loaded. Rejects with an error that lists the invalid records. */
  ready: Promise<void>;
  /**
   * Works like the global `fetch`, without a network: the service responds to every host. Waits for `ready`. Ignores options that need a
   * network or a browser, such as `integrity`, `cache` and `mode`.
   */
  fetch: typeof fetch;
  /** Starts a server. Waits for `ready`. */
  listen(options?: ListenOptions): Promise<Server>;
  /**
   * Replaces all records, by default with the initial ones, and restarts `times`, `rate` and `grow`. The previous records are served until
   * the new ones are checked, and stay if these are invalid.
   */
  replace(records?: Iterable<TrafficRecord | Page>): Promise<void>;
  /** The requests since the start or the last `reset()`, oldest first. Only the latest 10,000 are stored, and at most 20 MB of them. */
  readonly requests: readonly ReceivedRequest[];
  /** Empties `requests`, restarts `times`, `rate` and `grow`, and closes the connections of all responses that wait. */
  reset(): void;
  /** The default faults for requests that set none, as a string. It is empty if there are none. */
  get prefer(): string;
  /**
   * Replaces the default faults, and restarts `times`, `rate` and `grow`.
   * @throws Error if an option is invalid
   */
  set prefer(faults: Prefer);
}

/** Creates a service with records in memory. Services in one process share nothing. */
export declare function createService(options?: ServiceOptions): Service;
