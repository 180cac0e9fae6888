import { type Id, type Ids, idOf } from "./ids.ts";
import { isMoment } from "./moment.ts";
import type { SeenRecord } from "./observation.ts";

/** What the records of one timestamp have in common. */
interface Moment {
  timestamp: string;
  cameras: Set<Id>;
  lastId: number | undefined;
}

/** What is kept of the records that have been seen, newest first: little more than their ids. */
export interface Memory {
  /** Takes a record, and tells it together with what the ones before have to do with it. */
  meet(url: string, index: number, fields: Record<string, unknown>): SeenRecord;
}

/** @param ids of all records seen */
export function createMemory(ids: Ids): Memory {
  const meetCamera = rememberCameras();
  const meetMoment = rememberMoment();
  const meetHealth = rememberHealth();
  return {
    meet(url, index, fields) {
      const id = idOf(fields.id);
      const name = id === undefined ? `result ${index + 1}` : `record ${id}`;
      if (id !== undefined && !ids.add(id)) return { url, name, fields, repeated: true };
      const { timestamp } = fields;
      const knownRef = meetCamera(fields);
      const inTime = isMoment(timestamp)
        ? { ...meetMoment(fields, timestamp), health: meetHealth(fields, timestamp) }
        : {};
      return { url, name, fields, repeated: false, knownRef, ...inTime };
    },
  };
}

type Fields = SeenRecord["fields"];

function rememberCameras(): (fields: Fields) => string | undefined {
  const refs = new Map<Id, string>();
  return ({ camera_pk: pk, camera_ref: ref }) => {
    const camera = idOf(pk);
    if (camera === undefined) return undefined;
    const known = refs.get(camera);
    if (known === undefined && typeof ref === "string") refs.set(camera, ref);
    return known;
  };
}

type InMoment = Pick<SeenRecord, "before" | "sameMoment" | "sharedMoment" | "idsTurned">;

function rememberMoment(): (fields: Fields, timestamp: string) => InMoment {
  let moment: Moment | undefined;
  const steps = { up: false, down: false };
  return ({ id, camera_pk: pk }, timestamp) => {
    const before = moment?.timestamp;
    if (moment?.timestamp !== timestamp) moment = { timestamp, cameras: new Set(), lastId: undefined };
    const { cameras, lastId } = moment;
    const camera = idOf(pk);
    const sameMoment = camera !== undefined && cameras.has(camera);
    const sharedMoment = camera !== undefined && cameras.size > Number(sameMoment);
    if (camera !== undefined) cameras.add(camera);
    moment.lastId = typeof id === "number" ? id : undefined;
    if (lastId === undefined || moment.lastId === undefined) return { before, sameMoment, sharedMoment };
    steps[moment.lastId > lastId ? "up" : "down"] = true;
    return { before, sameMoment, sharedMoment, idsTurned: steps.up && steps.down };
  };
}

/** Compared with timestamps, as texts. */
const [BEFORE_ALL, AFTER_ALL] = ["", "~"];

/** Gives moments to compare, as soon as records with and without camera health have been seen. */
function rememberHealth(): (fields: Fields, timestamp: string) => SeenRecord["health"] {
  let newestNull = BEFORE_ALL;
  let oldestKnown = AFTER_ALL;
  return ({ camera_ok: health }, timestamp) => {
    if (health === null) {
      if (timestamp > newestNull) newestNull = timestamp;
      return oldestKnown === AFTER_ALL ? undefined : { newestNull: timestamp, oldestKnown };
    }
    if (health !== "True" && health !== "False") return undefined;
    if (timestamp < oldestKnown) oldestKnown = timestamp;
    return newestNull === BEFORE_ALL ? undefined : { newestNull, oldestKnown: timestamp };
  };
}
