import type { Components, Schema } from "../../openapi.ts";
import type { FC } from "../jsx-runtime.ts";
import { Inline } from "./markdown.tsx";

/** The schemas of the document: each object with its fields. */
export const Schemas: FC<Pick<Components, "schemas">> = ({ schemas }) => (
  <section class="schemas" aria-labelledby="schemas">
    <h2 id="schemas">Objects</h2>
    <p>Every object has all of its fields, and no others.</p>
    {Object.entries(schemas).map(([name, schema]) => (
      <section aria-labelledby={name}>
        <h3 id={name}>{nameSchema(name)}</h3>
        <dl class="entries">
          {Object.entries(schema.properties as Record<string, Schema>).map(([field, property]) => (
            <Entry name={field} detail={describeSchema(property)}>
              {typeof property.description === "string" && <Inline text={property.description} />}
            </Entry>
          ))}
        </dl>
      </section>
    ))}
  </section>
);

interface EntryProps {
  name: string;
  /** The type of the value, or where a parameter belongs. */
  detail: string;
  id?: string | undefined;
  children?: unknown;
}

/** A field, a parameter or a header. */
export const Entry: FC<EntryProps> = ({ name, detail, id, children }) => (
  <div id={id}>
    <dt>
      <code>{name}</code> <span>{detail}</span>
    </dt>
    <dd>{children}</dd>
  </div>
);

/** The name of a component in words: `TrafficRecord` becomes `Traffic record`. */
export function nameSchema(name: string): string {
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
  if (typeof $ref === "string") return nameSchema($ref.replace(/.*\//, ""));
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
