import type { ReceivedRequest } from "./index.d.ts";

/** Enough for a walk through 150,000 records. */
const MAX_REQUESTS = 10_000;

/** About the memory that the requests take, because a client can send long headers. */
const MAX_BYTES = 20_000_000;

/** What a request takes beside its URL and its headers. */
const OVERHEAD_BYTES = 500;

/** Creates the list of received requests, oldest first. Above a limit, the oldest requests are removed. */
export function createRequestList() {
  const requests: ReceivedRequest[] = [];
  const sizes: number[] = [];
  let bytes = 0;
  return {
    requests: requests as readonly ReceivedRequest[],
    /** Adds a request that has no response yet. The entry does not refer to it, because it would keep its connection in memory. */
    add({ method, url, headers }: Request): ReceivedRequest {
      // One string takes a fraction of the memory of an object with a string for each name and value.
      const json = JSON.stringify([...headers]);
      const entry: ReceivedRequest = {
        method,
        url,
        get headers() {
          return new Headers(JSON.parse(json));
        },
        receivedAt: Date.now(),
        status: null,
        applied: [],
        changes: [],
        warnings: [],
      };
      // Changes can contain two links, which are as long as the URL.
      const size = OVERHEAD_BYTES + 3 * url.length + json.length;
      requests.push(entry);
      sizes.push(size);
      bytes += size;
      while (requests.length > MAX_REQUESTS || bytes > MAX_BYTES) {
        requests.shift();
        bytes -= sizes.shift() ?? 0;
      }
      return entry;
    },
    clear(): void {
      requests.length = 0;
      sizes.length = 0;
      bytes = 0;
    },
  };
}
