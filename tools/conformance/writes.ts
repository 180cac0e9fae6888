import { isDeepStrictEqual } from "node:util";
import { lastPage } from "../../src/records/page.ts";
import { isPage, type PageResponse } from "./collection-reader.ts";
import type { ResponseEvent, WriteEvent } from "./events.ts";
import { type ExtraRequests, sendPlain } from "./plain-request.ts";
import { readRecordId } from "./seen-records.ts";
import type { Walk } from "./walked-page.ts";

const WRITE_METHODS = ["POST", "PUT", "PATCH", "DELETE"];

/** The camera of the record that the check tries to write, so that it can be recognised. */
const CAMERA_REF = "conformance-check";

/** A service that takes any input takes this one. Anything that it stores differs from what was there. */
const INPUT = { camera_ref: CAMERA_REF, cars: "1" };

const BODIES = [
  { type: "application/json", body: JSON.stringify(INPUT) },
  { type: "application/x-www-form-urlencoded", body: String(new URLSearchParams(INPUT)) },
];

/** The pages on which a write would show: the first one and the last one. */
type Ends = PageResponse[];

/** Tries to write with each method, and reads the ends of the collection again after each attempt. */
export async function sendWrites(requests: ExtraRequests): Promise<void> {
  const { client, walk } = requests;
  let before = await readEnds(walk);
  for (const method of WRITE_METHODS) {
    for (const { type, body } of BODIES) {
      const request = { url: walk.reader.url, method, headers: { "Content-Type": type }, body };
      const response = await sendPlain(client, request);
      const after = await readEnds(walk);
      walk.emit("write", { ...response, ...(await judgeChange(walk, before, after)) });
      before = after;
      // The same method with another body would show no more.
      if (isAccepted(response)) break;
    }
  }
}

function isAccepted({ status }: ResponseEvent): boolean {
  return status > 0 && status < 400;
}

async function readEnds({ reader, result }: Walk): Promise<Ends> {
  if (result.isOversized) return [];
  const first = await reader.readAgain(1);
  const last = lastPage(first.count ?? 0);
  return last === 1 ? [first] : [first, await reader.readAgain(last)];
}

/** Finds out whether a write had an effect. New records may also come from the growth of the collection. */
async function judgeChange(
  walk: Walk,
  before: Ends,
  after: Ends,
): Promise<Pick<WriteEvent, "effect" | "isEffectUnclear">> {
  if (!before.every(isPage) || !after.every(isPage) || isSame(before, after)) return {};
  if (hasInput(after) && !hasInput(before))
    return { effect: "afterwards a page had the record of the request" };
  // If the pages contradict each other anyway, a change says nothing.
  if (walk.result.countsContradict || walk.result.isInconsistent) return {};
  const certain = findLoss(before, after);
  if (certain !== undefined) return { effect: certain };
  await walk.pause();
  const grows = walk.result.growths > 0 || !isSame(after, await readEnds(walk));
  if (grows) return { isEffectUnclear: true };

  return {
    effect: `afterwards the collection had changed (count ${before[0]?.count} before, ${after[0]?.count} after)`,
  };
}

function hasInput(ends: Ends): boolean {
  return JSON.stringify(ends.map(({ results }) => results)).includes(CAMERA_REF);
}

/** A change that growth cannot explain. */
function findLoss(before: Ends, after: Ends): string | undefined {
  const [was = 0, is = 0] = [before[0]?.count, after[0]?.count];
  if (is < was) return `afterwards count was ${is} instead of ${was}`;
  const records = new Map(before.flatMap(({ results }) => results).map((one) => [readRecordId(one), one]));
  const changed = after
    .flatMap(({ results }) => results)
    .find((one) => records.has(readRecordId(one)) && !isDeepStrictEqual(records.get(readRecordId(one)), one));
  return changed === undefined ? undefined : `afterwards record ${readRecordId(changed)} had changed`;
}

function isSame(one: Ends, other: Ends): boolean {
  const content = (ends: Ends) => ends.map(({ count, results }) => ({ count, results }));
  return isDeepStrictEqual(content(one), content(other));
}
