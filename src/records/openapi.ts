import {
  describeErrorBody,
  describeJson,
  ERROR_HEADERS,
  PREFLIGHT_HEADERS,
  RETRY_HEADERS,
  WEB_PAGE,
} from "../http/openapi/components.ts";
import type {
  EndpointDescription,
  Example,
  MockDescription,
  Operation,
  Reference,
  ResponseObject,
} from "../http/openapi/types.ts";
import { COLLECTION_HEADERS, components, refer } from "./openapi/components.ts";
import { createExchanges, type ExampleName, toExample } from "./openapi/examples.ts";
import { parameters } from "./openapi/parameters.ts";
import { COLLECTION_PATH } from "./page.ts";

const TAG = { name: "records", description: "The collection `tf1`." };

const LIST = `One page of the collection. \`results\` contains up to 15 records (specification, List records, behaviour 1):

- Records are sorted newest first by \`timestamp\`: a higher page number contains older records (behaviour 2). Records with
  the same timestamp are not sorted by id (behaviour 3).
- \`camera_ok\` is null in records of older periods (behaviour 4).
- \`count\` is the same on all pages until the collection changes (behaviour 5).
- \`next\` and \`previous\` are absolute URLs that keep the other parameters of the request (Page envelope, rules 1 and 2).

\`HEAD\` has the same response without its body.`;

/** What the operations of the collection are made of. */
interface Parts {
  mock: MockDescription;
  /** The headers of every response, except responses to preflights. */
  headers: Record<string, Reference>;
  examples(names: ExampleName[]): Record<string, Example>;
}

/**
 * Describes the collection in OpenAPI, with the schemas and the functions that create its responses.
 * @param origin the scheme, host and port under which clients reach the service
 * @param mock what the mock adds to every operation
 */
export function describeCollection(origin: string, mock: MockDescription): EndpointDescription {
  const exchanges = createExchanges(origin);
  const parts: Parts = {
    mock,
    headers: { ...COLLECTION_HEADERS, ...mock.responseHeaders },
    examples: (names) => Object.fromEntries(names.map((name) => [name, toExample(exchanges[name])])),
  };
  return {
    tag: TAG,
    paths: {
      [COLLECTION_PATH]: { get: describeList(parts), options: describeOptions(parts) },
      [COLLECTION_PATH.slice(0, -1)]: { get: describeRedirect(parts) },
    },
    components,
  };
}

function describeList(parts: Parts): Operation {
  const { page, format, asOf, ifNoneMatch } = parameters;
  return {
    operationId: "listRecords",
    summary: "List records",
    description: LIST,
    tags: [TAG.name],
    parameters: [page, format, asOf, ...parts.mock.parameters, ifNoneMatch],
    responses: {
      ...describePage(parts),
      400: describeInvalidPrefer(parts),
      404: describeError(
        parts,
        "`page` is not a positive integer or is past the end, `as_of` names a state that the collection has not reached or that a load has replaced, " +
          "or `format` is unknown.",
        ["invalidPage", "unknownFormat"],
      ),
      405: describeError(parts, "The method is not `GET`, `HEAD` or `OPTIONS`.", ["methodNotAllowed"]),
      406: describeNotAcceptable(parts),
      429: describeThrottled(parts),
      503: describeError(
        parts,
        "The collection cannot be read at the moment. `Retry-After` says when to try again.",
        ["unavailable"],
        RETRY_HEADERS,
      ),
      default: parts.mock.otherResponse(parts.headers),
    },
  };
}

function describePage({ headers, examples }: Parts): Record<string, ResponseObject> {
  const pageHeaders = { ...headers, ETag: refer("ETag"), "Cache-Control": refer("PageCaching") };
  return {
    200: {
      description: "The page, with the links to its neighbours (specification, Page envelope).",
      headers: pageHeaders,
      content: { ...describeJson("Page", examples(["newest", "second", "oldest"])), ...WEB_PAGE },
    },
    304: {
      description: "`If-None-Match` contains the `ETag` of the page: the client's copy is current.",
      headers: pageHeaders,
    },
  };
}

function describeOptions(parts: Parts): Operation {
  const { mock, headers, examples } = parts;
  return {
    operationId: "describeRecords",
    summary: "Describe the collection",
    description: "What the collection contains, and its media types (specification, Options).",
    tags: [TAG.name],
    parameters: [parameters.format, ...mock.parameters],
    responses: {
      200: {
        description: "The description of the collection.",
        headers: { ...headers, ...mock.cacheHeaders },
        content: describeJson("Description", examples(["description"])),
      },
      204: {
        description: "The response to a preflight, which has the header `Access-Control-Request-Method`.",
        headers: { ...COLLECTION_HEADERS, ...PREFLIGHT_HEADERS },
      },
      400: describeInvalidPrefer(parts),
      404: describeError(parts, "`format` is unknown.", ["unknownFormat"]),
      406: describeNotAcceptable(parts),
      429: describeThrottled(parts),
      default: mock.otherResponse(headers),
    },
  };
}

function describeRedirect(parts: Parts): Operation {
  const { mock, headers } = parts;
  return {
    operationId: "redirectToRecords",
    summary: "Add the slash",
    description:
      "The path without its slash redirects permanently to the path with it, for every method. " +
      "Clients that follow redirects show the page instead.",
    tags: [TAG.name],
    parameters: mock.parameters,
    responses: {
      301: {
        description: "Redirects to the path with its slash. The query is kept.",
        headers: { ...headers, ...mock.cacheHeaders, Location: refer("Location") },
      },
      400: describeInvalidPrefer(parts),
      429: describeThrottled(parts),
      default: mock.otherResponse(headers),
    },
  };
}

function describeInvalidPrefer(parts: Parts): ResponseObject {
  return describeError(parts, "`prefer` contains an unknown option or an invalid value.", []);
}

function describeNotAcceptable(parts: Parts): ResponseObject {
  return describeError(parts, "`Accept` allows neither JSON nor HTML.", ["notAcceptable"]);
}

function describeThrottled(parts: Parts): ResponseObject {
  return describeError(
    parts,
    "The client has sent more requests than this deployment allows, or `Prefer` asks for this status.",
    ["throttled"],
    RETRY_HEADERS,
  );
}

function describeError(
  { headers, examples }: Parts,
  description: string,
  names: ExampleName[],
  ownHeaders: Record<string, Reference> = ERROR_HEADERS,
): ResponseObject {
  return {
    description,
    headers: { ...headers, ...ownHeaders },
    content: describeErrorBody(examples(names)),
  };
}
