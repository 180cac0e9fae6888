import type { ReceivedRequest } from "./index.d.ts";

/** The memory that the journal takes, about: several thousand ordinary requests. */
const JOURNAL_BYTES = 10_000_000;

/** The memory that a request takes, about. */
const measure = ({ url, headers }: ReceivedRequest) =>
  Array.from(headers).reduce(
    (sum, [name, value]) => sum + name.length + value.length + 100,
    url.length + 500,
  );

/** Remembers the newest requests. */
export function createJournal() {
  const requests: ReceivedRequest[] = [];
  let bytes = 0;
  return {
    requests,
    add(received: ReceivedRequest): void {
      requests.push(received);
      bytes += measure(received);
      while (bytes > JOURNAL_BYTES) bytes -= measure(requests.shift() as ReceivedRequest);
    },
    reset(): void {
      requests.length = 0;
      bytes = 0;
    },
  };
}
