/** Where something was observed: the URL that was asked, and what in its answer. */
interface Observed {
  url: string;
  /** `record 17`, `POST`, ... */
  name?: string;
}

/** An answer to GET of a page that should exist. */
export interface SeenPage extends Observed {
  number: number;
  /** The URL that answered, after redirects. */
  answeredBy: string;
  /** What the links of pages begin with: the absolute URL of the collection. */
  base: string;
  status: number;
  headers: Headers;
  /** Why the body is not JSON as it should be. */
  flaw: string | undefined;
  /** The envelope, if the body is an object. */
  fields: Record<string, unknown> | undefined;
  /** No page follows it. */
  isLast: boolean;
  /** The number of another page that has the same records. */
  copies?: number | undefined;
}

/** A record, in the order of the walk. What is told of others, is of others that were seen before it. */
export interface SeenRecord extends Observed {
  fields: Record<string, unknown>;
  /** Its id stands in another record. The rest is not told then, since it may be the very same record. */
  repeated: boolean;
  /** The timestamp of the record before. */
  before?: string | undefined;
  /** The camera_ref of another record of the camera. */
  knownRef?: string | undefined;
  /** Another record of the camera has the same timestamp. */
  sameMoment?: boolean | undefined;
  /** A record of another camera has the same timestamp. */
  sharedMoment?: boolean | undefined;
  /** Ids of records with the same timestamp went up and down so far. */
  idsTurned?: boolean | undefined;
  /**
   * Timestamps of which one is its own: the newest with a camera_ok of null, the oldest with another. Undefined until
   * both have been seen.
   */
  health?: { newestNull: string; oldestKnown: string } | undefined;
}

/** What the count of a page is, compared to that of the pages before. */
export interface SeenCount extends Observed {
  change: "none" | "growth";
  /** Why it is neither. */
  flaw?: string | undefined;
}

/** The end of the walk. */
export interface SeenEnd extends Observed {
  /** The last page, and how many records it holds. */
  number: number;
  length: number;
  /** Records in the collection, as the pages say; undefined if they do not, or contradict each other. */
  count: number | undefined;
  /** All pages but the last hold as many records as they should. */
  regular: boolean;
  /** What followed the last page, if it links to another one: `404`. */
  after: string | undefined;
}

/** The requests of the walk, which are sent again where that may help. */
export interface SeenFailures extends Observed {
  /** By status, how often that was answered. */
  statuses: ReadonlyMap<number, number>;
}

/** All requests of the examination. */
export interface SeenRequests extends Observed {
  /** Those that were answered with status 429. */
  throttled: number;
}

/** The answer to a request without page number. */
export interface SeenDefault extends Observed {
  /** How it differs from page 1. */
  difference: string | undefined;
}

/** The answer to a method, or to a page that cannot exist. */
export interface SeenAnswer extends Observed {
  status: number;
  headers: Headers;
  body: string;
}

/** All that can be observed of a service, by kind. */
export interface Observations {
  page: SeenPage;
  record: SeenRecord;
  count: SeenCount;
  end: SeenEnd;
  failures: SeenFailures;
  requests: SeenRequests;
  default: SeenDefault;
  options: SeenAnswer;
  /** A request that would write: POST, PUT, PATCH, DELETE. */
  write: SeenAnswer;
  /** Page 0. */
  error: SeenAnswer;
}

/** Takes what is observed. */
export type Observe = <K extends keyof Observations>(kind: K, seen: Observations[K]) => void;
