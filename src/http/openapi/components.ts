import * as z from "zod";
import type { ErrorBody } from "../errors.ts";
import { ERROR_CACHING } from "../headers.ts";
import type { Example, Header, MediaType, Reference, Schema } from "./types.ts";

/** A header that always has the same value. */
export function describeConstant(value: string, description: string): Header {
  return { description, required: true, schema: { type: "string", const: value } };
}

/** The headers that responses of every endpoint can have, by the names of their components. */
export const commonHeaders = {
  NoStore: describeConstant(ERROR_CACHING, "An error says nothing about the next request."),
  RetryAfter: {
    description: "Seconds after which to try again.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
  AnyOrigin: describeConstant("*", "Scripts of any origin may read the response."),
  AllHeaders: describeConstant("*", "Scripts of any origin may read its headers."),
  NoSniff: describeConstant("nosniff", "The content has the type that `Content-Type` says."),
  AllowedMethods: describeConstant("GET, OPTIONS", "The methods that a script may use."),
  AllowedHeaders: describeConstant("*", "A script may send any header."),
  PreflightAge: {
    description: "Seconds for which a browser may keep this response.",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
} satisfies Record<string, Header>;

/** A function that refers to the components of `headers` by their names. */
export function createHeaderReference<Name extends string>(_headers: Record<Name, Header>) {
  return (name: Name): Reference => ({ $ref: `#/components/headers/${name}` });
}

const refer = createHeaderReference(commonHeaders);

/** The headers of every response, by their names in HTTP. */
export const SERVICE_HEADERS = {
  "Access-Control-Allow-Origin": refer("AnyOrigin"),
  "Access-Control-Expose-Headers": refer("AllHeaders"),
  "X-Content-Type-Options": refer("NoSniff"),
};

/** The headers that an error has in addition to those of every response. */
export const ERROR_HEADERS = { "Cache-Control": refer("NoStore") };

/** The headers of an error that says when to retry. */
export const RETRY_HEADERS = { ...ERROR_HEADERS, "Retry-After": refer("RetryAfter") };

/** The headers of the response to a preflight, in addition to those of every response. */
export const PREFLIGHT_HEADERS = {
  "Access-Control-Allow-Methods": refer("AllowedMethods"),
  "Access-Control-Allow-Headers": refer("AllowedHeaders"),
  "Access-Control-Max-Age": refer("PreflightAge"),
};

/** The schema of every error response. */
export const ErrorSchema: z.ZodType<ErrorBody> = z.strictObject({
  detail: z.string().meta({ description: "What went wrong, for a person to read." }),
});

/** A web page, for requests of a browser. */
export const WEB_PAGE: Record<string, MediaType> = { "text/html": { schema: { type: "string" } } };

/** A body in JSON. */
export function describeJson(schema: string, examples?: Record<string, Example>): Record<string, MediaType> {
  return { "application/json": { schema: { $ref: toReference(schema) }, ...(examples && { examples }) } };
}

/** The body of an error, as JSON or as a web page. */
export function describeErrorBody(examples?: Record<string, Example>): Record<string, MediaType> {
  return { ...describeJson("Error", examples), ...WEB_PAGE };
}

/** Converts the schema of a parameter to JSON Schema. */
export function toSchema(schema: z.ZodType): Schema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { io: "input" });
  return converted;
}

/** Converts schemas that refer to each other to JSON Schema. They become components of the document. */
export function toComponents(
  schemas: Record<string, { schema: z.ZodType; title: string }>,
): Record<string, Schema> {
  const registry = z.registry<{ id: string; title: string }>();
  for (const [id, { schema, title }] of Object.entries(schemas)) registry.add(schema, { id, title });
  const converted = z.toJSONSchema(registry, { uri: toReference }).schemas;
  return Object.fromEntries(
    // A component has the dialect and the address of the document.
    Object.entries(converted).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]),
  );
}

function toReference(name: string): string {
  return `#/components/schemas/${name}`;
}
