import * as z from "zod";
import { checkCameraRef } from "./camera-ref.ts";
import { type Counts, createForRoadUsers, ROAD_USERS } from "./road-users.ts";

// The worker imports only types from this file, so that its bundle does not contain zod.

/** In code points. With it, the records of a block fit into one D1 statement. */
const MAX_CAMERA_REF_LENGTH = 64;

export const NOT_A_COUNT = "is not a whole number, 0 or greater";
const NOT_A_REF = `is not a string of 1 to ${MAX_CAMERA_REF_LENGTH} characters`;
const integer = createInteger("is not a whole number", `is less than ${Number.MIN_SAFE_INTEGER}`);
const count = createInteger(NOT_A_COUNT, NOT_A_COUNT).nonnegative(NOT_A_COUNT);
const link = z.url().nullable();

/**
 * One record: the counts of one camera at one moment (specification, "Record").
 * The order of the keys is the order of the fields in every response. Messages follow the name of the field and the value.
 */
export const TrafficRecord = z.strictObject({
  id: integer.meta({ format: "int64", description: "Unique in the collection." }),
  camera_pk: integer.meta({ format: "int64", description: "The number of the camera." }),
  camera_ref: z
    .string(NOT_A_REF)
    .min(1, NOT_A_REF)
    .max(MAX_CAMERA_REF_LENGTH, NOT_A_REF)
    .refine((text) => checkCameraRef(text) === undefined, {
      error: ({ input }) => checkCameraRef(String(input)),
    })
    .meta({
      description: "The short reference of the camera: the same in all records with the same `camera_pk`.",
    }),
  timestamp: z.iso
    .datetime({ precision: 0, error: "is not a date-time in UTC (YYYY-MM-DDThh:mm:ssZ)" })
    .meta({ description: "When the camera counted, in UTC, to the second: `YYYY-MM-DDThh:mm:ssZ`." }),
  camera_ok: z
    .enum(["True", "False"], {
      error: ({ input }) =>
        typeof input === "boolean"
          ? 'is a boolean, not the string "True" or "False"'
          : 'is not "True", "False", or null, which is an empty cell in CSV',
    })
    .nullable()
    .meta({
      description:
        "Camera health, as a string. If `False`, all counts are 0. Null means that camera health was not recorded, as in older records.",
    }),
  ...createForRoadUsers((roadUser) => count.meta({ description: `Detected ${roadUser}.` })),
  model_name: z
    .literal("tf1", 'is not "tf1"')
    .meta({ description: "The name of the model that counted the road users." }),
});
export type TrafficRecord = z.infer<typeof TrafficRecord>;

/** A page of the collection with links to its neighbors (specification, "Page envelope"). */
export const Page = z.strictObject({
  count: z.int().nonnegative().meta({ description: "Records in the whole collection, not on this page." }),
  next: link.meta({ description: "Absolute URL of the page with older records; null on the last page." }),
  previous: link.meta({
    description: "Absolute URL of the page with newer records; null on the first page.",
  }),
  results: z.array(TrafficRecord).meta({ description: "The records of this page, newest first." }),
});
export type Page = z.infer<typeof Page>;

/**
 * Checks that a record with `camera_ok` `False` has no counts above 0 (specification, "Record").
 * @returns The problem with `camera_ok`, or undefined
 */
export function checkFailingCamera(record: Counts & { camera_ok: string | null }): string | undefined {
  if (record.camera_ok !== "False") return undefined;
  const counted = ROAD_USERS.find((name) => record[name] !== 0);
  if (counted === undefined) return undefined;
  return `requires counts of 0, but ${counted} is ${record[counted]}`;
}

/** An integer that JavaScript represents exactly. */
function createInteger(notAnInteger: string, tooSmall: string) {
  return z.int({
    error({ code }) {
      if (code === "too_big") return `is greater than ${Number.MAX_SAFE_INTEGER}`;
      return code === "too_small" ? tooSmall : notAnInteger;
    },
  });
}
