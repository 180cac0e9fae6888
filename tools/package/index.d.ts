// The public interface of the package. It uses nothing but the web's types, so it is published as it is.

/** A record: the counts of one camera at one moment. */
export interface TrafficRecord {
  /** Unique in the collection. */
  id: number;
  camera_pk: number;
  /** The same for one `camera_pk` in all records. */
  camera_ref: string;
  /** UTC, `YYYY-MM-DDThh:mm:ssZ`. A camera has one record for each timestamp. */
  timestamp: string;
  /** With `"False"`, all counts are 0. */
  camera_ok: "True" | "False" | null;
  cars: number;
  persons: number;
  bicycles: number;
  trucks: number;
  motorcycles: number;
  buses: number;
  model_name: "tf1";
}

export interface ServiceOptions {
  /** The collection, in any order. Without records and files, the service has the seed: 40,614 generated records. */
  records?: Iterable<TrafficRecord> | undefined;
  /** Paths of files with the collection: CSV, JSON Lines, pages or reports, each plain or gzipped; `-` is standard input. */
  files?: string[] | undefined;
  /** Replaces the model name of all records in files. Without it, other models are refused. */
  modelName?: "tf1" | undefined;
  /** The clock of the faults `until` and `grow`, in milliseconds since 1970. */
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

export interface Service {
  /** Resolves when the records are loaded. Rejects with an error that names what is wrong with them. */
  ready: Promise<void>;
  /** Responds to a request as the deployed service does, without a port. Waits for `ready`. */
  fetch(request: Request): Promise<Response>;
  /** Listens for HTTP requests. Waits for `ready`. */
  listen(options?: ListenOptions): Promise<Server>;
  /** Replaces all records. The next response shows the new ones. If they are wrong, the old ones stay. */
  replace(records: Iterable<TrafficRecord>): Promise<void>;
  /** Forgets all requests that the fault `times` has counted. */
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
