import type { Clock, RetryPolicy } from "../../tools/http-client/retry.ts";

/** What is around a crawl, to be replaced in tests. */
export interface Surroundings {
  clock: Clock;
  retryPolicy: RetryPolicy;
  /** Milliseconds from one progress file to the next. */
  saveInterval: number;
  /** Ends the crawl as a failure does. */
  signal: AbortSignal;
  /** Takes a line for the person who waits. */
  warn(line: string): void;
  /** Takes the line that sums it up. */
  print(line: string): void;
}
