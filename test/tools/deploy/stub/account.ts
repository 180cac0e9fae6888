/** The state of the platform, which the stubs of wrangler and npm read and change. */
export interface Account {
  databases: { uuid: string; name: string; load?: string }[];
  namespaces: { id: string; title: string; pairs?: Record<string, string> }[];
  /** Names of the worker's previews. */
  previews: string[];
  /** Ids of the worker's versions; the last one is served. */
  versions: string[];
  /** The address of the worker. */
  origin: string;
  /** The error message of `wrangler deploy` after it has uploaded the code, if it fails then. */
  failureAfterUpload?: string;
  /** Calls that fail: the beginning of the call, and the error message. */
  failures: Record<string, string>;
}
