import * as z from "zod";

/** What every answer with an error status says, as a Django REST Framework service does. */
export const ErrorBody = z.strictObject({
  detail: z.string().meta({ description: "What went wrong, for a person to read." }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
