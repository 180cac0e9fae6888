import { vi } from "vitest";
import { createApp } from "../../src/app.ts";
import type { TrafficRecord } from "../../src/records/schema.ts";
import type { StoreEnv } from "../../src/store/create-store.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { NOTHING_LOADED, type Snapshot } from "../../src/store/snapshot.ts";
import type { Store } from "../../src/store/store.ts";
import { createSnapshotId } from "../../tools/data/stores/writer.ts";
import { requireDocumented } from "./openapi-check.ts";
import { toContent } from "./sample-records.ts";

/** The origin of requests without a host. */
export const ORIGIN = "https://counts.example";

/** The execution context of each request. */
export const context = { waitUntil() {}, passThroughOnException() {}, props: {} };

const VERSION = {
  id: "01234567-89ab-cdef-0123-456789abcdef",
  tag: "",
  timestamp: "2026-11-21T00:00:00.000Z",
};

interface InstanceOptions {
  /** Replace the default bindings and variables. */
  settings?: Partial<StoreEnv>;
  /** The clock of faults, in milliseconds since 1970. */
  now?: () => number;
}

/** An instance of the service in this process. */
export type Instance = ReturnType<typeof createInstance>;

/**
 * Creates an instance with an empty cache.
 * @param store undefined if the settings have a binding of a store
 */
export function createInstance(store: Store | undefined, { settings = {}, now }: InstanceOptions = {}) {
  const defaults = {
    STORE: "memory",
    MEMORY: store,
    RATE_LIMIT: "off",
    CF_VERSION_METADATA: VERSION,
  };
  const env = { ...defaults, ...settings } as Partial<Record<keyof StoreEnv, unknown>> as StoreEnv;
  const { app } = createApp({ now });
  // Each environment has its own cache.
  let current: StoreEnv = Object.create(env);
  return {
    origin: ORIGIN,
    env,
    /** Sends a request to a path or a URL, follows no redirect, and throws if the response contradicts the OpenAPI document. */
    async fetch(target: string, init?: RequestInit): Promise<Response> {
      const request = new Request(target.startsWith("/") ? ORIGIN + target : target, init);
      const response = await app.fetch(request, current, context);
      await requireDocumented(request, response);
      return response;
    },
    /** Makes the instance read its store again. */
    clearCache(): void {
      current = Object.create(env);
    },
  };
}

/** Returns the lines of the log from a spy of `console.error`. */
export function getLogLines() {
  return vi.mocked(console.error).mock.calls.map(([line]) => JSON.parse(line));
}

/**
 * Creates a service with a store in memory. Changes are visible immediately.
 * @param records Oldest first. Undefined if nothing was ever loaded
 */
export async function createMemoryService(records?: TrafficRecord[], options?: InstanceOptions) {
  let current = createMemoryStore(NOTHING_LOADED, []);
  const store: Store = {
    readCurrent: () => current.readCurrent(),
    readBlocks: (id, numbers) => current.readBlocks(id, numbers),
  };
  const instance = createInstance(store, options);
  /** Replaces all records. @param records Oldest first */
  const load = (records: TrafficRecord[], sources: string[] = []): Snapshot => {
    const { count, source, blocks } = toContent(records.toReversed(), sources);
    const id = createSnapshotId(Date.now());
    const snapshot = { id, count, loaded_at: new Date().toISOString(), source };
    current = createMemoryStore(snapshot, blocks());
    instance.clearCache();
    return snapshot;
  };
  if (records) load(records);
  return { ...instance, store, load };
}
