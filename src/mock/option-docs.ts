import {
  FASTEST_GROWTH,
  LARGEST_CUT,
  LEAST_RATE,
  LONGEST_DELAY_MS,
  LONGEST_OUTAGE_S,
  LONGEST_RETRY_AFTER_S,
} from "./option-values.ts";

export const BODY_FAULTS = ["cut", "garbage", "empty", "slow"] as const;
export const ROW_FAULTS = ["repeat", "drop", "swap"] as const;
export const NEXT_FAULTS = ["loop", "null", "http", "skip"] as const;
export const RECORD_FAULTS = ["float", "null", "missing", "extra", "offset"] as const;

const listValues = (values: readonly string[]) => values.join(", ").replace(/, (?=\w+$)/, " or ");

/** Every option, for the documentation and for warnings. */
export const OPTION_DOCS = [
  {
    name: "code",
    value: "a whole number from 400 to 599",
    description: "Responds with this status and its error",
    example: "code=503",
  },
  {
    name: "delay",
    value: `milliseconds from 0 to ${LONGEST_DELAY_MS}, or a range of them such as 200-800`,
    description: "Waits before the response; with a range, waits a random time within it",
    example: "delay=200-800",
  },
  {
    name: "fail",
    value: "a decimal number from 0 to 1",
    description: "Limits the other faults to this share of the requests; without another fault, they get 503",
    example: "fail=0.1",
  },
  {
    name: "seed",
    value: `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
    description:
      "Makes random choices repeatable: they depend only on this number and the page that is requested",
    example: "seed=4",
  },
  {
    name: "on",
    value: "page numbers, ranges of them and last, such as 3,7-9, or records?page=3",
    description: "Limits the other faults to these pages of the collection",
    example: "on=3,7-9",
  },
  {
    name: "outage",
    value: `seconds out of seconds, such as 3/10, up to ${LONGEST_OUTAGE_S}`,
    description:
      "Limits the other faults to the first 3 of every 10 seconds by the clock; without another fault, responds 503",
    example: "outage=3/10",
  },
  {
    name: "until",
    value: "a time in UTC such as 2030-01-31T12:00:00Z",
    description: "Limits all faults to the time before",
    example: "until=2030-01-31T12:00:00Z",
  },
  {
    name: "body",
    value: listValues(BODY_FAULTS),
    description:
      "Closes the connection in the middle of the body (cut), sends invalid JSON (garbage), sends no body (empty), " +
      "or sends it over 5 seconds (slow)",
    example: "body=cut",
  },
  {
    name: "cut",
    value: `a whole number from 0 to ${LARGEST_CUT}`,
    description: "Closes the connection after so many bytes of the body",
    example: "cut=1000",
  },
  {
    name: "rate",
    value: `a whole number from ${LEAST_RATE}`,
    description: "Sends so many bytes of the body in a second",
    example: "rate=2000",
  },
  {
    name: "hang",
    value: "without a value",
    description: "Sends no response for 5 minutes",
    example: "hang",
  },
  {
    name: "retry-after",
    value: `none, date or seconds from 0 to ${LONGEST_RETRY_AFTER_S}`,
    description:
      "Changes the header Retry-After of 429 and 503: leaves it out, writes an HTTP date, or so many seconds",
    example: "retry-after=date",
  },
  {
    name: "rows",
    value: listValues(ROW_FAULTS),
    description:
      "Replaces one record of a page by a copy of another one (repeat), leaves one out (drop), or swaps two that have different timestamps (swap)",
    example: "rows=repeat",
  },
  {
    name: "count",
    value: "an integer other than 0, such as +1 or -5",
    description: "Adds this number to the count of a page",
    example: "count=+1",
  },
  {
    name: "next",
    value: listValues(NEXT_FAULTS),
    description:
      "Makes next lead to the same page (loop), makes it null (null), exchanges http and https (http), or leaves out a page (skip)",
    example: "next=loop",
  },
  {
    name: "record",
    value: listValues(RECORD_FAULTS),
    description:
      "In one record of a page, makes a count a fraction (float) or null (null), leaves out a field (missing), adds one (extra), " +
      "or writes the timestamp with an offset instead of Z (offset)",
    example: "record=missing",
  },
  {
    name: "type",
    value: "a media type such as text/html",
    description: "Changes the header Content-Type",
    example: "type=text/html",
  },
  {
    name: "grow",
    value: `1 to ${FASTEST_GROWTH} records per s, m or h, such as 15/m`,
    description: "Serves a collection that grows by the clock, from a part of what is loaded to all of it",
    example: "grow=15/m",
  },
  {
    name: "strict",
    value: "without a value",
    description: "Responds 400 if a preference is unknown or has an invalid value, instead of a warning",
    example: "strict",
  },
] as const;

export type OptionName = (typeof OPTION_DOCS)[number]["name"];
