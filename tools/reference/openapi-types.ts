import type * as z from "zod";

// The parts of an OpenAPI document that this one has. The types are our own, because no published package fits OpenAPI 3.1:
// `openapi-types` has the schemas of 3.0 for parameters, and `openapi3-ts` lacks `info.summary`.

/** A schema in JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type Schema = z.core.JSONSchema.BaseSchema;

export type Header = { description: string; schema: Schema };

export interface Parameter extends Header {
  name: string;
  in: "query" | "header";
  /** Values of the parameter by name. Importers of the document send the first one. */
  examples?: Record<string, { summary: string; value: string | number }>;
}

export interface ResponseObject {
  description: string;
  headers: Record<string, { $ref: string }>;
  /** The body by media type. Undefined if the response has no body. */
  content?: Record<string, { schema: Schema; example?: object }>;
}

export type Responses = Record<string, ResponseObject>;
