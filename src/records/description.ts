import * as z from "zod";

/** What OPTIONS says of the collection; the specification does not show it. */
export const Description = z.strictObject({
  name: z.string(),
  description: z.string(),
  renders: z.array(z.string()).meta({ description: "Media types that answers can have." }),
  parses: z.array(z.string()).meta({
    description:
      "Media types of request bodies, as a service of this kind names them. There is no write operation.",
  }),
});
export type Description = z.infer<typeof Description>;
