import * as z from "zod";

/** The count of one kind of road user. */
const detected = (plural: string) =>
  z
    .int()
    .nonnegative()
    .meta({ description: `Detected ${plural}.` });

/**
 * One record: the counts of one camera at one moment (specification, "Record").
 * The order of the keys is the order of the fields in every response.
 */
export const TrafficRecord = z.strictObject({
  id: z.int().meta({ description: "Unique, but in no order inside one timestamp." }),
  camera_pk: z.int().meta({ description: "The camera, by number." }),
  /** No control characters, and no lone surrogates, which UTF-8 cannot represent. */
  camera_ref: z
    .string()
    .max(255)
    .regex(/^[^\p{Cc}\p{Cs}]+$/u)
    .meta({
      description: "The camera, by its short reference: the same for one `camera_pk` in all records.",
    }),
  timestamp: z.iso
    .datetime({ precision: 0 })
    .meta({ description: "When the camera saw it: UTC, second precision, `YYYY-MM-DDThh:mm:ssZ`." }),
  camera_ok: z.enum(["True", "False"]).nullable().meta({
    description:
      "Camera health, as a string. `False` goes with all counts equal to 0; null in older records.",
  }),
  cars: detected("cars"),
  persons: detected("persons"),
  bicycles: detected("bicycles"),
  trucks: detected("trucks"),
  motorcycles: detected("motorcycles"),
  buses: detected("buses"),
  model_name: z.literal("tf1").meta({ description: "The model that counted." }),
});
export type TrafficRecord = z.infer<typeof TrafficRecord>;

/** A page of the collection with links to its neighbours (specification, "Page envelope"). */
export const Page = z.strictObject({
  count: z.int().nonnegative().meta({ description: "Records in the whole collection, not on this page." }),
  next: z
    .url()
    .nullable()
    .meta({ description: "Absolute URL of the page with older records; null on the last." }),
  previous: z.url().nullable().meta({
    description: "Absolute URL of the page with newer records; null on the first.",
  }),
  results: z.array(TrafficRecord).meta({ description: "The records of this page, newest first." }),
});
export type Page = z.infer<typeof Page>;
