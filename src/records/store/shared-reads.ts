import { giveUpLate } from "./patience.ts";

/** Keeps work going when the request that began it ends, as others may be waiting for it too. */
export type WaitUntil = (work: Promise<unknown>) => void;

/**
 * Makes concurrent reads of the same thing one read. The first request begins it, the others wait for its answer; not
 * for ever, since the runtime may end a request, and with it the work that it began, without a word.
 * @param read reads what the key names
 */
export function shareReads<Key, Value>(read: (key: Key) => Promise<Value>) {
  const underWay = new Map<Key, Promise<Value>>();
  return (key: Key, waitUntil: WaitUntil): Promise<Value> => {
    const begun = underWay.get(key);
    const forget = (work: Promise<Value>) => {
      if (underWay.get(key) === work) underWay.delete(key);
    };
    if (begun) return giveUpLate(begun, () => forget(begun));
    const work = read(key).finally(() => forget(work));
    underWay.set(key, work);
    waitUntil(work.catch(() => undefined));
    return work;
  };
}
