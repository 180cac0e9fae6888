import * as z from "zod";
import { PREFERENCES } from "../../mock/preferences.ts";
import { MAX_PAGE } from "../../records/page.ts";
import type { Parameter, Schema } from "./types.ts";

const PageNumber = z.union([z.int().positive().max(MAX_PAGE), z.literal("last")]).default(1);

/** Digits with leading zeros are taken too; a generated client sends none. */
const AsOf = z.union([z.int().nonnegative(), z.literal("latest")]);

const Format = z.enum(["api", "json"]).default("api");

/** The query parameters and request headers of `GET` (specification, "List records"). */
export function describeParameters(): Parameter[] {
  return [
    {
      name: "page",
      in: "query",
      description:
        "Number of the page, counted from 1, the newest; or `last`, the oldest. Absent or empty it is 1. " +
        "Of a repeated parameter the last one counts.",
      allowEmptyValue: true,
      schema: describe(PageNumber),
    },
    {
      name: "format",
      in: "query",
      description:
        "`api`, also when absent or empty, leaves the representation to `Accept`: HTML only if that prefers " +
        "`text/html`, else JSON. `json` is JSON whatever `Accept` says. The links keep it " +
        "(specification, Page envelope, rule 2).",
      allowEmptyValue: true,
      schema: describe(Format),
    },
    {
      name: "as_of",
      in: "query",
      description:
        "Holds a walk to one state of a collection that grows: `latest` to begin with, and the links then have the " +
        "`count` of that state. Its pages stay the same until a load replaces the collection.",
      schema: describe(AsOf),
    },
    {
      name: "prefer",
      in: "query",
      allowEmptyValue: true,
      description: `Misbehaviour, for those who cannot send the header \`Prefer\`; the links keep it. ${describePreferences()}`,
      schema: { type: "string" },
    },
    {
      name: "Prefer",
      in: "header",
      description: `Misbehaviour, to test a client with (RFC 7240). ${describePreferences()}`,
      schema: { type: "string" },
    },
    {
      name: "If-None-Match",
      in: "header",
      description:
        "Entity-tags of the copies that the client has, or `*`: if one is that of the page, the answer is 304 " +
        "(RFC 9110, 13.1.2).",
      schema: { type: "string" },
    },
  ];
}

/** The preferences as a list in Markdown. */
function describePreferences(): string {
  const lines = PREFERENCES.map(
    ({ example, description, value }) => `- \`${example}\`: ${description} (${value}).`,
  );
  return `What is asked for combines:\n\n${lines.join("\n")}`;
}

function describe(schema: z.ZodType): Schema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: "input" });
  return described;
}
