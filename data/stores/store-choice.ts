import type { StoreName } from "./configuration.ts";
import type { Deployment } from "./wrangler.ts";
import type { WritableStore } from "./writer.ts";

/** Which store a command means. */
export interface StoreChoice extends Deployment {
  /** By default the one that the configuration says the worker serves from. */
  store?: StoreName | undefined;
}

/** A store outside the worker. */
export interface OpenStore {
  name: StoreName;
  store: WritableStore;
  /** Bytes that everything in it takes; undefined if the store does not report it. */
  size(): Promise<number | undefined>;
  /** The folder of a store on this machine. */
  folder?: string;
  close(): Promise<void>;
}
