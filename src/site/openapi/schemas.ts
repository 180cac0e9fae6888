import * as z from "zod";
import { ErrorBody } from "../../http/error-body.ts";
import { Description } from "../../records/description.ts";
import { PAGE_SIZE } from "../../records/page.ts";
import { Page, TrafficRecord } from "../../records/record.ts";
import type { Schema } from "./types.ts";

/** A page as this service answers it; one that was copied from elsewhere may be longer. */
const AnsweredPage = Page.extend({
  results: Page.shape.results.max(PAGE_SIZE).meta(z.globalRegistry.get(Page.shape.results) ?? {}),
});

const registry = z.registry<{ id: string; title: string }>();
registry.add(TrafficRecord, { id: "TrafficRecord", title: "Record" });
registry.add(AnsweredPage, { id: "Page", title: "Page envelope" });
registry.add(Description, { id: "Description", title: "Description of the collection" });
registry.add(ErrorBody, { id: "Error", title: "Error" });

export type SchemaName = "TrafficRecord" | "Page" | "Description" | "Error";

/** The shapes of the collection as JSON Schema, by name: the zod schemas that parse and type them, written out. */
export function describeSchemas(): Record<string, Schema> {
  const { schemas } = z.toJSONSchema(registry, { uri: toReference });
  return Object.fromEntries(
    // Inside a document a schema has the document's dialect and address.
    Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]),
  );
}

/** The schema of a name, by reference. */
export function referToSchema(name: SchemaName): Schema {
  return { $ref: toReference(name) };
}

function toReference(name: string): string {
  return `#/components/schemas/${name}`;
}
