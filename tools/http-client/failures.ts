interface Remedy {
  /** How long the server wants to be left alone, in milliseconds. */
  after?: number | undefined;
  /** How often to try at most, if fewer times than usual. */
  attempts?: number;
  /** Whether there is nobody who could answer, so that it may go well only if the server is just starting. */
  absent?: boolean;
  /** What to throw in the end, instead of an error that says the same. */
  outcome?: Error;
}

/** Something that may go well the next time. The message completes the sentence that begins with the URL. */
export class Transient extends Error {
  remedy: Remedy;

  constructor(message: string, remedy: Remedy = {}) {
    super(message);
    this.remedy = remedy;
  }
}

/** A status that will not be another one the next time. */
export class Refused extends Error {
  status: number;

  constructor(url: string, status: number, reason = "") {
    super(`${url} answered ${status}${reason && ` ${reason}`}`);
    this.status = status;
  }
}
