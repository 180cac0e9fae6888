import type { Env } from "../env.ts";
import type { TrafficRecord } from "../records/record.ts";
import { d1Appender } from "./d1-appender.ts";
import { kvAppender } from "./kv-appender.ts";
import { chooseStore } from "./open.ts";
import type { Continued, Loaded } from "./store.ts";

/** A collection that the worker itself adds records to. */
export interface RecordAppender {
  /** Reads what the current state was loaded with. Throws if it cannot be read. */
  loaded(): Promise<Loaded>;
  /**
   * Adds records behind those that are loaded, all or none: the version remains, the count and the statistics grow.
   * @param records oldest first, all newer than what is loaded; some thousands at most
   * @param loaded what they go on from
   * @throws if something else was loaded meanwhile, or the store fails
   */
  append(records: readonly TrafficRecord[], loaded: Loaded & Continued): Promise<void>;
}

/**
 * The appender of the store that the setting `STORE` names.
 * @throws if it names none
 */
export function openAppender(env: Env): RecordAppender {
  const open = chooseStore(env, { d1: () => d1Appender(env.DB), kv: () => kvAppender(env.KV) });
  return open();
}
