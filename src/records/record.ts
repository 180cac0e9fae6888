import * as z from "zod";
import { FIELD_RULES, MAX_CAMERA_REF_LENGTH } from "./field-rules.ts";

/** The road users that are counted, in the order of a record's fields. */
export const ROAD_USERS = ["cars", "persons", "bicycles", "trucks", "motorcycles", "buses"] as const;
type RoadUser = (typeof ROAD_USERS)[number];

export type Counts = Record<RoadUser, number>;

/** The counts of a record with `camera_ok` `False` (specification, "Record"). */
export const NO_COUNTS: Readonly<Counts> = createForRoadUsers(() => 0);

function createForRoadUsers<T>(createValue: (roadUser: RoadUser) => T): Record<RoadUser, T> {
  const entries = ROAD_USERS.map((roadUser) => [roadUser, createValue(roadUser)]);
  return Object.fromEntries(entries);
}

/**
 * Checks that a record with `camera_ok` `False` has no counts above 0 (specification, "Record").
 * @returns The problem with `camera_ok`, or undefined
 */
export function checkFailingCamera(record: Counts & { camera_ok: string | null }): string | undefined {
  if (record.camera_ok !== "False") return undefined;
  const counted = ROAD_USERS.find((name) => record[name] !== 0);
  return counted && `requires counts of 0, but ${counted} is ${record[counted]}`;
}

// The worker does not use the schemas below. PURE lets the bundler remove them together with zod.

/**
 * One record: the counts of one camera at one moment (specification, "Record").
 * The order of the keys is the order of the fields in every response.
 */
export const TrafficRecord = /* @__PURE__ */ createRecordSchema();
export type TrafficRecord = z.infer<typeof TrafficRecord>;

/** A page of the collection with links to its neighbors (specification, "Page envelope"). */
export const Page = /* @__PURE__ */ createPageSchema();
export type Page = z.infer<typeof Page>;

function createRecordSchema() {
  const count = z.int().nonnegative();
  const schema = z.strictObject({
    id: z.int().meta({
      format: "int64",
      description: "Unique. Records with the same timestamp are not sorted by `id`.",
    }),
    camera_pk: z.int().meta({ format: "int64", description: "The number of the camera." }),
    // The length in JSON Schema is in characters; `z.string().max()` would count UTF-16 code units.
    camera_ref: z.string().meta({
      minLength: 1,
      maxLength: MAX_CAMERA_REF_LENGTH,
      description: "The short reference of the camera: the same in all records with the same `camera_pk`.",
    }),
    timestamp: z.iso
      .datetime({ precision: 0 })
      .meta({ description: "When the camera counted, in UTC, to the second: `YYYY-MM-DDThh:mm:ssZ`." }),
    camera_ok: z.enum(["True", "False"]).nullable().meta({
      description:
        "Camera health, as a string. If `False`, all counts are 0. Null means that camera health was not recorded, as in older records.",
    }),
    ...createForRoadUsers((roadUser) => count.meta({ description: `Detected ${roadUser}.` })),
    model_name: z.literal("tf1").meta({ description: "The name of the model that counted the road users." }),
  });
  // JSON Schema can express the types above, but not all rules.
  return schema.check(({ value, issues }) => {
    const report = (field: string, message: string | undefined) => {
      if (message !== undefined) issues.push({ code: "custom", path: [field], input: value, message });
    };
    for (const [field, check] of Object.entries(FIELD_RULES))
      report(field, check(value[field as keyof typeof value]));
    report("camera_ok", checkFailingCamera(value));
  });
}

function createPageSchema() {
  const createLink = (description: string) => z.url().nullable().meta({ description });
  return z.strictObject({
    count: z.int().nonnegative().meta({ description: "Records in the whole collection, not on this page." }),
    next: createLink("Absolute URL of the page with older records; null on the last page."),
    previous: createLink("Absolute URL of the page with newer records; null on the first page."),
    results: z.array(TrafficRecord).meta({ description: "The records of this page, newest first." }),
  });
}
