/** What `camera_ok` says, as a name: null has none of its own. */
export const HEALTH = ["True", "False", "null"] as const;
export type Health = (typeof HEALTH)[number];
