import { type ExampleName, type Exchange, toExample } from "./examples.ts";
import { answerHeaders } from "./headers.ts";
import { referToSchema, type SchemaName } from "./schemas.ts";
import type { Answer, MediaType } from "./types.ts";

export type Exchanges = Record<ExampleName, Exchange>;

type Answers = Record<string, Answer>;

/** A page for a person, who asks with a browser. */
const WEB_PAGE: Record<string, MediaType> = { "text/html": { schema: { type: "string" } } };

/** The answer that only misbehaviour on request has. */
const ASKED_FOR: Answer = {
  description: "Any other status from 400 to 599 that `Prefer` asks for.",
  headers: answerHeaders.askedFor,
  content: { "application/json": { schema: referToSchema("Error") }, ...WEB_PAGE },
};

/** The answer to a preflight, whatever path it asks for. */
export const PREFLIGHT_ANSWER: Answer = {
  description: "To a preflight, which has `Access-Control-Request-Method`.",
  headers: answerHeaders.preflight,
};

/** The answers to `GET`, by status. */
export function describePageAnswers(exchanges: Exchanges): Answers {
  return {
    200: {
      description: "The page, with the links to its neighbours (specification, Page envelope).",
      headers: answerHeaders.page,
      content: {
        ...writeJson("Page", exchanges, ["newest", "second", "oldest"]),
        ...WEB_PAGE,
      },
    },
    304: {
      description: "`If-None-Match` names the page's `ETag`: the client's copy is current.",
      headers: answerHeaders.page,
    },
    404: {
      description:
        "`page` is not a positive integer or past the end, `as_of` is no `count` that the collection has reached, " +
        "or `format` is unknown.",
      headers: answerHeaders.error,
      content: writeError(exchanges, ["invalidPage", "unknownFormat"]),
    },
    405: {
      description: "The method is none of `GET`, `HEAD` and `OPTIONS`.",
      headers: answerHeaders.error,
      content: writeError(exchanges, ["methodNotAllowed"]),
    },
    406: describeNotAcceptable(exchanges),
    429: describeThrottled(exchanges),
    503: {
      description: "The collection cannot be read at the moment; `Retry-After` says when to come back.",
      headers: answerHeaders.unavailable,
      content: writeError(exchanges, ["unavailable"]),
    },
    default: ASKED_FOR,
  };
}

/** The answers to `OPTIONS`, by status. */
export function describeOptionsAnswers(exchanges: Exchanges): Answers {
  return {
    200: {
      description: "The collection in words.",
      headers: answerHeaders.description,
      content: writeJson("Description", exchanges, ["description"]),
    },
    204: PREFLIGHT_ANSWER,
    404: {
      description: "`format` is unknown.",
      headers: answerHeaders.error,
      content: writeError(exchanges, ["unknownFormat"]),
    },
    406: describeNotAcceptable(exchanges),
    429: describeThrottled(exchanges),
    default: ASKED_FOR,
  };
}

/** The answer where the path lacks its last slash, by status. */
export function describeRedirect(exchanges: Exchanges): Answers {
  return {
    301: { description: "To the path with its slash; the query is kept.", headers: answerHeaders.redirect },
    429: describeThrottled(exchanges),
    default: ASKED_FOR,
  };
}

function describeThrottled(exchanges: Exchanges): Answer {
  return {
    description: "More requests than this deployment allows in a while, or `Prefer` asks for it.",
    headers: answerHeaders.unavailable,
    content: writeError(exchanges, ["throttled"]),
  };
}

function describeNotAcceptable(exchanges: Exchanges): Answer {
  return {
    description: "`Accept` allows neither JSON nor HTML.",
    headers: answerHeaders.error,
    content: writeError(exchanges, ["notAcceptable"]),
  };
}

function writeError(exchanges: Exchanges, names: ExampleName[]): Record<string, MediaType> {
  return { ...writeJson("Error", exchanges, names), ...WEB_PAGE };
}

function writeJson(
  schema: SchemaName,
  exchanges: Exchanges,
  names: ExampleName[],
): Record<string, MediaType> {
  const examples = Object.fromEntries(names.map((name) => [name, toExample(exchanges[name])]));
  return { "application/json": { schema: referToSchema(schema), examples } };
}
