import type { ReceivedRequest } from "./index.d.ts";

/** Enough for a walk through 150,000 records. */
const MAX_REQUESTS = 10_000;

/** About the memory that the requests take, because a client can send long headers. */
const MAX_BYTES = 20_000_000;

/** What a request takes beside its URL and its headers, and a header beside its text. */
const OVERHEAD_BYTES = 500;
const HEADER_BYTES = 60;

/** Creates the list of received requests, oldest first. Above a limit, the oldest requests are removed. */
export function createRequestList() {
  const requests: ReceivedRequest[] = [];
  const sizes: number[] = [];
  let bytes = 0;
  return {
    requests: requests as readonly ReceivedRequest[],
    /** Adds a request that has no response yet. The entry does not refer to it, because it would keep its connection in memory. */
    add({ method, url, headers: sent }: Request): ReceivedRequest {
      const headers = Object.fromEntries(sent);
      const entry: ReceivedRequest = {
        method,
        url,
        headers,
        receivedAt: Date.now(),
        status: null,
        applied: [],
        changes: [],
        warnings: [],
      };
      // Changes can contain two links, which are as long as the URL.
      const size = OVERHEAD_BYTES + 3 * url.length + getSize(headers);
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

function getSize(headers: Record<string, string>): number {
  return JSON.stringify(headers).length + HEADER_BYTES * Object.keys(headers).length;
}
