import type { Operation as DocumentOperation, Example, OpenApiDocument, Schema } from "../../openapi.ts";
import type { Entry } from "./text.tsx";

// What the API reference reads from the OpenAPI document. No other file of the site knows the types of the document.

export type { OpenApiDocument, Schema };

/** An operation with its place in the document. */
export interface Operation extends DocumentOperation {
  method: string;
  path: string;
}

export function listOperations({ paths }: OpenApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** The headers of the responses of operations. A name occurs more than once if it means different things. */
export function listHeaders(operations: Operation[], { components }: OpenApiDocument): Entry[] {
  const names = new Map(
    operations
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap(({ headers }) => Object.entries(headers))
      .map(([name, { $ref }]) => [$ref.replace(/.*\//, ""), name]),
  );
  return [...names].map(([component, name]) => {
    const { schema = {}, description: text = "" } = components.headers[component] ?? {};
    return { name, detail: describeSchema(schema), text };
  });
}

/** The fields of an object, such as a record. */
export function listFields({ properties }: Schema = {}): Entry[] {
  return Object.entries(properties as Record<string, Schema>).map(([name, schema]) => ({
    name,
    detail: describeSchema(schema),
    text: String(schema.description ?? ""),
  }));
}

/** The first example of a successful response; of a page, with only its first record. */
export function findExample({ responses }: Operation): Example | undefined {
  const [example] = Object.values(responses["200"]?.content?.["application/json"]?.examples ?? {});
  const { results, ...others } = Object(example?.value);
  return example && { ...example, value: results ? { ...others, results: results.slice(0, 1) } : others };
}

/** Describes the values that a schema allows, in words. */
export function describeSchema({ anyOf, const: constant, enum: values, type, minimum }: Schema): string {
  if (Array.isArray(anyOf)) return anyOf.map(describeSchema).join(", or ");
  if (Array.isArray(values)) return values.join(" or ");
  const limit = minimum === 0 || minimum === 1 ? `, ${minimum} or more` : "";
  return constant === undefined ? `${type}${limit}` : String(constant);
}
