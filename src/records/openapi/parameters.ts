import * as z from "zod";
import { toSchema } from "../../http/openapi/components.ts";
import type { Parameter } from "../../http/openapi/types.ts";
import { MAX_PAGE } from "../page.ts";

const PageNumber = z.union([z.int().positive().max(MAX_PAGE), z.literal("last")]).default(1);

/** The service also accepts leading zeros, but a generated client sends none. */
const AsOf = z.union([z.int().nonnegative(), z.string().regex(/^(latest|[0-9]+(-[0-9]+)?)$/)]);

const Format = z.enum(["api", "json"]).default("api");

/** The query parameters and request headers of the collection (specification, "List records"). */
export const parameters = {
  page: {
    name: "page",
    in: "query",
    description:
      "Number of the page: 1 is the newest, and `last` is the oldest. Absent or empty, it is 1. " +
      "If the parameter is repeated, the last value counts.",
    allowEmptyValue: true,
    schema: toSchema(PageNumber),
  },
  format: {
    name: "format",
    in: "query",
    description:
      "`json` always returns JSON. With `api`, or if the parameter is absent or empty, `Accept` decides: HTML if it " +
      "prefers `text/html`, otherwise JSON. The links keep the parameter (specification, Page envelope, rule 2).",
    allowEmptyValue: true,
    schema: toSchema(Format),
  },
  asOf: {
    name: "as_of",
    in: "query",
    description:
      "Reads one state of a growing collection. Begin with `latest`, or with a `count` that the collection had; the links then name that state. " +
      "Its pages stay the same until a load replaces the collection.",
    schema: toSchema(AsOf),
  },
  ifNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description:
      "Entity-tags of the copies that the client has, or `*`. If one of them is the tag of the page, the response is 304 " +
      "(RFC 9110, 13.1.2).",
    schema: { type: "string" },
  },
} satisfies Record<string, Parameter>;
