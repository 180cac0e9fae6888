import { giveUpLate } from "./patience.ts";

/** Keeps work going when the request that began it ends, as others may be waiting for it too. */
export type WaitUntil = (work: Promise<unknown>) => void;

/**
 * Makes concurrent reads of the same thing one read. The first request begins it, the others wait for its answer; not
 * for ever, since the runtime may end a request, and with it the work that it began, without a word.
 * @param read reads what is asked for
 * @param nameOf the same for what is the same
 */
export function shareReads<Asked, Value>(
  read: (asked: Asked) => Promise<Value>,
  nameOf: (asked: Asked) => string,
) {
  const underWay = new Map<string, Promise<Value>>();
  return (asked: Asked, waitUntil: WaitUntil): Promise<Value> => {
    const name = nameOf(asked);
    const begun = underWay.get(name);
    const forget = (work: Promise<Value>) => {
      if (underWay.get(name) === work) underWay.delete(name);
    };
    if (begun) return giveUpLate(begun, () => forget(begun));
    const work = read(asked).finally(() => forget(work));
    underWay.set(name, work);
    waitUntil(work.catch(() => undefined));
    return work;
  };
}
