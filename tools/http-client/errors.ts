import type { HttpResponse } from "./messages.ts";

/** What is known about a failure before the next attempt. */
interface RetryAdvice {
  /** How long the server asks clients to wait, in milliseconds. */
  retryAfter?: number | undefined;
  /** The maximum number of attempts, if it is lower than that of the retry policy. */
  maxAttempts?: number;
  /** Whether no server was reached. A retry then helps only if the server is just starting. */
  unreachable?: boolean;
  /** The response that failed; its body is empty if it could not be read. */
  response?: HttpResponse | undefined;
  /** The error to throw after the last attempt; by default, one with the same message and this error as its cause. */
  finalError?: Error;
}

/** A failure that the next attempt may not have. Its message continues a sentence that starts with the URL. */
export class TransientError extends Error {
  readonly advice: RetryAdvice;

  constructor(message: string, advice: RetryAdvice = {}) {
    super(message);
    this.advice = advice;
  }
}

/** A response that another attempt would not change. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(url: string, status: number, reason = "") {
    super(`${url} returned ${status}${reason && `: ${reason}`}`);
    this.status = status;
  }
}
