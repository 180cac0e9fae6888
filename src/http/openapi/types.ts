/** A schema in JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type Schema = Record<string, unknown>;

/** A reference to a component of the document. */
export interface Reference {
  $ref: string;
}

export interface Header {
  description: string;
  required?: boolean;
  schema: Schema;
  example?: string | number;
}

export interface Parameter extends Header {
  name: string;
  in: "query" | "header";
  allowEmptyValue?: boolean;
}

export interface Example {
  summary: string;
  value: unknown;
}

export interface MediaType {
  schema: Schema;
  examples?: Record<string, Example>;
}

/** One response of an operation: a Response Object of OpenAPI. */
export interface ResponseObject {
  description: string;
  headers: Record<string, Reference>;
  /** By media type; absent if the response has no body. */
  content?: Record<string, MediaType>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: Parameter[];
  /** By status. */
  responses: Record<string, ResponseObject>;
}

export type PathItem = Partial<Record<"get" | "options", Operation>>;

export interface Components {
  schemas: Record<string, Schema>;
  headers: Record<string, Header>;
}

/** The description of an endpoint, which becomes a part of the document. */
export interface EndpointDescription {
  tag: { name: string; description: string };
  paths: Record<string, PathItem>;
  /** The components that only this endpoint uses. */
  components: Components;
}

/** What the mock adds to every operation. */
export interface MockDescription {
  parameters: Parameter[];
  /** References to the headers below, by their names in HTTP. */
  responseHeaders: Record<string, Reference>;
  /** The header of a successful response without caching of its own, by its name in HTTP. */
  cacheHeaders: Record<string, Reference>;
  /** The response with any other status. */
  otherResponse(headers: Record<string, Reference>): ResponseObject;
  headers: Record<string, Header>;
}

/** The parts of an OpenAPI 3.1 document that this service needs. */
export interface OpenApiDocument {
  openapi: string;
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  /** Empty: there is no authentication. */
  security: [];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: Components;
}
