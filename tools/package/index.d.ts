// The public interface of the package. It uses nothing but the web's types, so it is published as it is.

import type { TrafficRecord } from "../../src/records/record.ts";

export type { TrafficRecord };

export interface ServiceOptions {
  /** The collection, in any order. It is copied. Without records and files, the service has the seed: 40,614 generated records. */
  records?: Iterable<TrafficRecord> | undefined;
  /** Paths of files with the collection: CSV, JSON Lines, pages or reports, each plain or gzipped; `-` is standard input. */
  files?: string[] | undefined;
  /** Serves records of any model in the files as records of this one. By default, other models are refused. */
  modelName?: TrafficRecord["model_name"] | undefined;
  /** The clock of `until`, `grow` and `retry-after=date`: a function that returns milliseconds since 1970. */
  now?: (() => number) | undefined;
  /** Scheme, host and port of links, if they are not those of the request. */
  publicOrigin?: string | undefined;
  /** The faults of all requests for the collection that name none, such as `delay=200-800` or `fail=0.05`. */
  prefer?: string | undefined;
}

export interface ListenOptions {
  /** 8787 by default; 0 chooses a free port. */
  port?: number | undefined;
  /** `localhost` by default; `0.0.0.0` listens at all IPv4 addresses. */
  host?: string | undefined;
}

export interface Server {
  /** Where the server listens, such as `http://localhost:8787`. */
  url: string;
  /** Stops listening and closes all connections. */
  close(): Promise<void>;
}

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: Headers;
  /** Null before the response, and if there is none because the connection was closed. */
  status: number | null;
  /** The options that were applied, such as `code=503`. */
  applied: string[];
}

export interface Service {
  /** Resolves when the records are loaded. Rejects with an error that names what is wrong with them. */
  ready: Promise<void>;
  /** Does what the global `fetch` does, without a network: the service responds to every host. Waits for `ready`. */
  fetch: typeof fetch;
  /** Listens for HTTP requests. Waits for `ready`. */
  listen(options?: ListenOptions): Promise<Server>;
  /**
   * Replaces all records. The next response shows the new ones. If they are wrong, the old ones stay.
   * @param records by default those that the service began with
   */
  replace(records?: Iterable<TrafficRecord>): Promise<void>;
  /** What clients have requested since the start or `reset()`, oldest first: the newest requests, which take about 10 MB at most. */
  readonly requests: readonly ReceivedRequest[];
  /** Empties `requests`, and forgets what the fault `times` has counted. */
  reset(): void;
  /**
   * The faults of all requests for the collection that name none. Setting it also resets what `times` has counted; an empty text
   * ends the faults.
   * @throws an error that names what is wrong with the text
   */
  prefer: string;
}

/** Creates a service that keeps its records in memory. Services in one process share nothing. */
export declare function createService(options?: ServiceOptions): Service;
