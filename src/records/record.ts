import * as z from "zod";
import { checkCameraRef } from "./camera-ref.ts";

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
  if (counted === undefined) return undefined;
  return `requires counts of 0, but ${counted} is ${record[counted]}`;
}

/** The maximum number of characters in a `camera_ref`, so that the records of a block fit into one D1 statement. */
const MAX_CAMERA_REF_LENGTH = 64;

// The worker does not use the schema. PURE lets the bundler remove it together with zod.

/**
 * One record: the counts of one camera at one moment (specification, "Record").
 * The order of the keys is the order of the fields in every response. Messages follow the name of the field and the value.
 */
export const TrafficRecord = /* @__PURE__ */ createRecordSchema();
export type TrafficRecord = z.infer<typeof TrafficRecord>;

function createRecordSchema() {
  const NOT_A_COUNT = "is not a whole number, 0 or greater";
  const NOT_A_REF = `is not a string of 1 to ${MAX_CAMERA_REF_LENGTH} characters`;
  const integer = createInteger("is not a whole number", `is less than ${Number.MIN_SAFE_INTEGER}`);
  const count = createInteger(NOT_A_COUNT, NOT_A_COUNT).nonnegative(NOT_A_COUNT);
  return z.strictObject({
    id: integer.meta({
      format: "int64",
      description: "Unique. Records with the same timestamp are not sorted by `id`.",
    }),
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
