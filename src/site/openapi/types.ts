/** A schema in JSON Schema 2020-12, which is what OpenAPI 3.1 uses. */
export type Schema = Record<string, unknown>;

/** Points to a component of the document. */
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

/** One answer of an operation: what OpenAPI calls a response. */
export interface Answer {
  description: string;
  headers: Record<string, Reference>;
  /** By media type; absent if the answer has no body. */
  content?: Record<string, MediaType>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: Parameter[];
  /** By status. */
  responses: Record<string, Answer>;
}

export type PathItem = Partial<Record<"get" | "options", Operation>>;

/** As much of an OpenAPI 3.1 document as this service needs. */
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
  components: { schemas: Record<string, Schema>; headers: Record<string, Header> };
}
