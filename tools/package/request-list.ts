import type { ReceivedRequest } from "./index.d.ts";

/** Enough for a walk through 150,000 records. */
const MAX_REQUESTS = 10_000;

/** About the memory that the requests take, because a client can send long headers. */
const MAX_BYTES = 20_000_000;

/** What a request takes beside its URL and its headers, and a header beside its text. */
const OVERHEAD_BYTES = 500;
const HEADER_BYTES = 60;

export type RequestList = ReturnType<typeof createRequestList>;

/** Creates the list of received requests, oldest first. Above a limit, the oldest requests are removed. */
export function createRequestList() {
  const requests: ReceivedRequest[] = [];
  let bytes = 0;
  return {
    requests: requests as readonly ReceivedRequest[],
    /** Adds a request that has no response yet. The entry does not refer to it, because it would keep its connection in memory. */
    add({ method, url, headers: sent }: Request): ReceivedRequest {
      const entry: ReceivedRequest = {
        method,
        url,
        headers: Object.fromEntries(sent),
        receivedAt: Date.now(),
        status: null,
        applied: [],
        changes: [],
        warnings: [],
      };
      requests.push(entry);
      bytes += estimateBytes(entry);
      while (requests.length > MAX_REQUESTS || bytes > MAX_BYTES) {
        const removed = requests.shift();
        if (removed) bytes -= estimateBytes(removed);
      }
      return entry;
    },
    clear(): void {
      requests.length = 0;
      bytes = 0;
    },
  };
}

/** Estimates the memory of a request. Its changes can contain two links, which are as long as the URL. */
function estimateBytes({ url, headers }: ReceivedRequest): number {
  const headerBytes = JSON.stringify(headers).length + HEADER_BYTES * Object.keys(headers).length;
  return OVERHEAD_BYTES + 3 * url.length + headerBytes;
}
