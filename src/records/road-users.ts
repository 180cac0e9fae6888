/** The road users that are counted, in the order of a record's fields. */
export const ROAD_USERS = ["cars", "persons", "bicycles", "trucks", "motorcycles", "buses"] as const;
type RoadUser = (typeof ROAD_USERS)[number];

export type Counts = Record<RoadUser, number>;

/** Creates an object with a value for each kind of road user. */
export function createForRoadUsers<T>(createValue: (roadUser: RoadUser) => T): Record<RoadUser, T> {
  const entries = ROAD_USERS.map((roadUser) => [roadUser, createValue(roadUser)]);
  return Object.fromEntries(entries);
}

/** The counts of a record with `camera_ok` `False` (specification, "Record"). */
export const NO_COUNTS: Readonly<Counts> = createForRoadUsers(() => 0);
