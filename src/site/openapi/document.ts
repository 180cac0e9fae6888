import project from "../../../package.json" with { type: "json" };
import { COLLECTION_PATH } from "../../records/envelope.ts";
import { DESCRIPTION } from "../../records/route.ts";
import { STAND_IN } from "../about.ts";
import { describeOptionsAnswers, describePageAnswers, describeRedirect, type Exchanges } from "./answers.ts";
import { makeExchanges } from "./examples.ts";
import { headers } from "./headers.ts";
import { describeParameters } from "./parameters.ts";
import { describeSchemas } from "./schemas.ts";
import type { OpenApiDocument, Operation, PathItem } from "./types.ts";

const TAG = "records";

/** The parameters that every operation has. */
const PREFERENCE_NAMES = ["prefer", "Prefer"];

const ABOUT = `A public ${STAND_IN}. It answers the same requests in the same
way, from records of its own: a read-only collection of road users, counted by roadside cameras.

Any script may read it from any origin, without authentication. Follow \`next\` until it is null to read the whole
collection.`;

const LIST = `One page of the collection, \`results\` with up to 15 records (specification, List records, behaviour 1):

- Newest first by \`timestamp\`: a higher page number holds older records (behaviour 2). Among records of one timestamp ids
  are in no order (behaviour 3).
- \`camera_ok\` is null in records of older periods (behaviour 4).
- \`count\` is the same on all pages until other records are loaded (behaviour 5).
- \`next\` and \`previous\` are absolute URLs that keep the request's other parameters (Page envelope, rules 1 and 2).

\`HEAD\` answers as \`GET\`, without a body.`;

/**
 * The service in OpenAPI 3.1, made of what serves it: the schemas that type the records, and the functions that write
 * the answers.
 * @param origin scheme, host and port under which clients reach the service
 */
export function describeService(origin: string): OpenApiDocument {
  return {
    openapi: "3.1.1",
    info: {
      title: DESCRIPTION.name,
      version: project.version,
      summary: "Counts of road users by roadside cameras, page by page.",
      description: ABOUT,
      license: { name: "MIT License", identifier: project.license },
    },
    servers: [{ url: origin, description: "This deployment" }],
    security: [],
    tags: [{ name: TAG, description: "The collection `tf1`." }],
    paths: describePaths(makeExchanges(origin)),
    components: { schemas: describeSchemas(), headers },
  };
}

function describePaths(exchanges: Exchanges): Record<string, PathItem> {
  return {
    [COLLECTION_PATH]: { get: describeList(exchanges), options: describeOptions(exchanges) },
    [COLLECTION_PATH.slice(0, -1)]: { get: describeMove(exchanges) },
  };
}

function describeList(exchanges: Exchanges): Operation {
  return {
    operationId: "listRecords",
    summary: "List records",
    description: LIST,
    tags: [TAG],
    parameters: describeParameters(),
    responses: describePageAnswers(exchanges),
  };
}

function describeOptions(exchanges: Exchanges): Operation {
  return {
    operationId: "describeRecords",
    summary: "Describe the collection",
    description: "What the collection is and in which media types it comes (specification, Options).",
    tags: [TAG],
    parameters: describeParameters().filter(({ name }) => ["format", ...PREFERENCE_NAMES].includes(name)),
    responses: describeOptionsAnswers(exchanges),
  };
}

function describeMove(exchanges: Exchanges): Operation {
  return {
    operationId: "redirectToRecords",
    summary: "Add the slash",
    description:
      "A path without its last slash moves permanently to the one with it, whatever the method. " +
      "A client that follows redirects shows the page instead.",
    tags: [TAG],
    parameters: describeParameters().filter(({ name }) => PREFERENCE_NAMES.includes(name)),
    responses: describeRedirect(exchanges),
  };
}
