import * as z from "zod";

const count = z.int().nonnegative();

/**
 * One record: the counts of one camera at one moment (specification, "Record").
 * The order of the keys is the order of the fields in every answer.
 */
export const TrafficRecord = z.strictObject({
  id: z.int(),
  camera_pk: z.int(),
  /** Short text: no control characters, nothing that UTF-8 cannot carry. */
  camera_ref: z
    .string()
    .max(255)
    .regex(/^[^\p{Cc}\p{Cs}]+$/u),
  /** UTC, second precision: `YYYY-MM-DDThh:mm:ssZ`. */
  timestamp: z.iso.datetime({ precision: 0 }),
  /** Camera health; null in older records. `False` goes with all counts equal to 0. */
  camera_ok: z.enum(["True", "False"]).nullable(),
  cars: count,
  persons: count,
  bicycles: count,
  trucks: count,
  motorcycles: count,
  buses: count,
  model_name: z.literal("tf1"),
});
export type TrafficRecord = z.infer<typeof TrafficRecord>;

/** One page of the collection with the links to its neighbours (specification, "Page envelope"). */
export const Page = z.strictObject({
  /** Records in the whole collection, not on this page. */
  count: z.int().nonnegative(),
  next: z.url().nullable(),
  previous: z.url().nullable(),
  results: z.array(TrafficRecord),
});
export type Page = z.infer<typeof Page>;
