import type {
  Operation as DocumentOperation,
  Example,
  OpenApiDocument,
  ResponseObject,
  Schema,
} from "../../openapi.ts";
import type { Entry } from "./text.tsx";

// What the API reference reads from the OpenAPI document. No other file of the site knows the types of the document.

export type { OpenApiDocument, Schema };

/** An operation with its place in the document. */
export interface Operation extends DocumentOperation {
  method: string;
  path: string;
}

/** The operations that have a successful response of their own: a redirect to another one is none. */
export function listOperations({ paths }: OpenApiDocument): Operation[] {
  return Object.entries(paths)
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
      })),
    )
    .filter(({ responses }) => "200" in responses);
}

/** The headers of the responses of operations. A name occurs more than once if it means different things. */
export function listHeaders(operations: Operation[], { components }: OpenApiDocument): Entry[] {
  const names = new Map(
    operations
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap(({ headers }) => Object.entries(headers))
      .map(([name, reference]) => [nameComponent(reference), name]),
  );
  return [...names].map(([component, name]) => {
    const { schema = {}, description: text = "" } = components.headers[component] ?? {};
    return { id: `header-${component}`, name, detail: describeSchema(schema), text };
  });
}

/** The first example of a successful response; of a page, with only its first record. */
export function findExample({ responses }: Operation): Example | undefined {
  const [example] = Object.values(responses["200"]?.content?.["application/json"]?.examples ?? {});
  const { results, ...others } = Object(example?.value);
  return example && { ...example, value: results ? { ...others, results: results.slice(0, 1) } : others };
}

/** Describes the body of a response in words. */
export function describeBody({ content }: ResponseObject): string {
  const schema = content?.["application/json"]?.schema;
  return schema ? describeSchema(schema) : "no body";
}

function nameComponent({ $ref }: { $ref: string }): string {
  return $ref.replace(/.*\//, "");
}

/** The name of a component in words: `TrafficRecord` becomes `Traffic record`. */
export function toWords(name: string): string {
  return name.replaceAll(/(?<!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Describes the values that a schema allows, in words. */
export function describeSchema(schema: Schema): string {
  const { anyOf, const: constant, enum: values, $ref, items, default: preset } = schema;
  if (preset !== undefined)
    return `${describeSchema({ ...schema, default: undefined })}; ${preset} by default`;
  if (Array.isArray(anyOf)) return anyOf.map((one) => one.const ?? describeSchema(one)).join(", or ");
  if (constant !== undefined) return `always ${constant}`;
  if (Array.isArray(values)) return values.join(" or ");
  if (typeof $ref === "string") return toWords(nameComponent({ $ref }));
  if (items !== undefined) return `array of ${describeSchema(items as Schema)}`;
  return `${schema.type}${describeLimits(schema)}`;
}

function describeLimits({ minimum, exclusiveMinimum, maxLength, format }: Schema): string {
  if (minimum === 0) return ", 0 or more";
  if (minimum === 1 || exclusiveMinimum === 0) return ", 1 or more";
  if (typeof maxLength === "number") return ` of at most ${maxLength} characters`;
  if (format === "uri") return ", a URL";
  return format === "date-time" ? ", a date and time" : "";
}
