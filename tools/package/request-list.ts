import type { ReceivedRequest } from "./index.d.ts";

/** Enough for a walk through 150,000 records. */
const MAX_REQUESTS = 10_000;

/** About the memory that the requests take, because a client can send many and long headers. */
const MAX_BYTES = 50_000_000;

/** What a header takes beside its characters, and a request beside its headers. */
const OVERHEAD_BYTES = 150;

/** Creates the list of received requests, oldest first. Above a limit, the oldest requests are removed. */
export function createRequestList() {
  const requests: ReceivedRequest[] = [];
  let bytes = 0;
  return {
    requests: requests as readonly ReceivedRequest[],
    add(received: ReceivedRequest): void {
      requests.push(received);
      bytes += getSize(received);
      while (requests.length > MAX_REQUESTS || bytes > MAX_BYTES) {
        const oldest = requests.shift();
        if (oldest === undefined) return;
        bytes -= getSize(oldest);
      }
    },
    clear(): void {
      requests.length = 0;
      bytes = 0;
    },
  };
}

function getSize({ url, headers }: ReceivedRequest): number {
  let size = OVERHEAD_BYTES + url.length;
  for (const [name, value] of headers) size += OVERHEAD_BYTES + name.length + value.length;
  return size;
}
