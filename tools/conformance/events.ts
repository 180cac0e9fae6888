import type { PageResponse } from "./collection-reader.ts";

/** Where something was observed: the requested URL and, if it is about a part of the response or a method, which one. */
interface Observed {
  url: string;
  /** `record 17`, `POST`, ... */
  subject?: string;
}

/** A response to GET of a page that should exist. */
export interface PageEvent extends Observed, PageResponse {
  /** What the links of pages should begin with: the absolute URL of the collection. */
  linkBase: string;
  /** The value of the query parameter `format` in the request, which the links must keep. */
  format: string;
  isLast: boolean;
  /** The number of an earlier page, if it has the same records. */
  duplicateOf?: number | undefined;
}

/** A record, in the order of the walk. "Earlier" means seen earlier in the walk. */
export interface RecordEvent extends Observed {
  fields: Record<string, unknown>;
  /** An earlier record has the same id. The properties below are then missing, because it may be the same record. */
  isDuplicate: boolean;
  /** The timestamp of the previous record. */
  previousTimestamp?: string | undefined;
  /** The camera_ref of an earlier record of this camera. */
  knownCameraRef?: string | undefined;
  /** An earlier record of this camera has the same timestamp. */
  repeatsCamera?: boolean | undefined;
  /** An earlier record of another camera has the same timestamp. */
  sharesTimestamp?: boolean | undefined;
  /** Among records with the same timestamp, ids have both risen and fallen so far. */
  idsUnordered?: boolean | undefined;
  /**
   * If this record has a camera_ok of null: its timestamp and the oldest one with `True` or `False`. If it has `True` or
   * `False`: the newest timestamp with null and its own. Undefined until both kinds have been seen.
   */
  cameraOkPeriods?: { newestNull: string; oldestKnown: string } | undefined;
}

/** The count of a page, compared with the counts of earlier pages. */
export interface CountEvent extends Observed {
  /** Why it contradicts them. */
  error?: string | undefined;
}

/** The end of the walk, at the last page. */
export interface EndEvent extends Observed {
  lastPage: number;
  recordsOnLastPage: number;
  /** Records in the collection according to its pages; undefined if they have no count or contradict each other. */
  count: number | undefined;
  /** All pages but the last hold as many records as they should. */
  allPagesFull: boolean;
  /** The response to the page after the last one, if it was requested: `404`. */
  afterLast: string | undefined;
}

/** The errors among the responses to the page requests of the walk. These requests are retried. */
export interface ErrorsEvent extends Observed {
  /** How many responses had each status. */
  statuses: ReadonlyMap<number, number>;
}

/** All requests of the check. */
export interface RequestsEvent extends Observed {
  /** How many responses had the status 429. */
  throttled: number;
}

/** The response to a request without page number. */
export interface DefaultPageEvent extends Observed {
  /** How it differs from page 1. */
  difference: string | undefined;
}

/** The response to a request with another method, or for a page that cannot exist. */
export interface ResponseEvent extends Observed {
  /** 0 if there was no response. */
  status: number;
  headers: Headers;
  body: string;
  /** Why there was no complete response in any attempt. */
  failure?: string | undefined;
}

/** A request that would write, and the pages before and after it. */
export interface WriteEvent extends ResponseEvent {
  /** How the collection has changed because of the request. */
  effect?: string | undefined;
  /** The pages have changed, but a collection that grows would look the same. */
  isEffectUnclear?: boolean;
}

/** Page 1 as it is after the walk. */
export interface NewestEvent extends Observed {
  results: unknown[];
}

/** The response to a request for page 0. */
export interface PageZeroEvent extends ResponseEvent {
  /** It is a page with records that are not on pages 1 and up. */
  hasNewRecords: boolean;
}

/** A request about which the specification says nothing. */
export interface ReferenceEvent extends Observed {
  /** The row of the reference. */
  name: string;
  observed: string;
  /** How the response differs from the reference. */
  deviation: string | undefined;
}

/** Everything that a check can observe, by kind. */
export interface Events {
  page: PageEvent;
  record: RecordEvent;
  count: CountEvent;
  end: EndEvent;
  errors: ErrorsEvent;
  requests: RequestsEvent;
  defaultPage: DefaultPageEvent;
  options: ResponseEvent;
  /** A request that would write: POST, PUT, PATCH, DELETE. */
  write: WriteEvent;
  newest: NewestEvent;
  pageZero: PageZeroEvent;
  openCase: ReferenceEvent;
}

export type Emit = <K extends keyof Events>(kind: K, event: Events[K]) => void;
