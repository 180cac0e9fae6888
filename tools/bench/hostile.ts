import { once } from "node:events";
import autocannon from "autocannon";
import { COLLECTION_PATH } from "../../src/http/links.ts";
import { type BenchOptions, getMedian, measureRequest, roundToThreeDigits } from "./cases.ts";

const IN_BROWSER = { accept: "text/html" };

/** What costs most for its length: a query and a header that are too long, and a page that repeats the most parameters. */
const HOSTILE_REQUESTS = [
  { path: `${COLLECTION_PATH}?${"a&".repeat(12_000)}`, headers: IN_BROWSER },
  { path: COLLECTION_PATH, headers: { accept: "a/b;q=0.1,".repeat(2_400) } },
  { path: `${COLLECTION_PATH}?page=2&${"a&".repeat(2_600)}`, headers: IN_BROWSER },
];

/**
 * Measures a web page alone, and beside two connections that send the hostile requests in turn.
 * @param url The URL of a page of the collection
 */
export async function measureHostile(url: string, { rounds, milliseconds }: BenchOptions) {
  const body = await (await fetch(url, { headers: IN_BROWSER })).text();
  const measure = async () => {
    const { per_second } = await measureRequest({ url, body, headers: IN_BROWSER }, milliseconds);
    return per_second;
  };
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    alone.push(await measure());
    const others = autocannon({ url, connections: 2, requests: HOSTILE_REQUESTS, duration: 600 }, () => {});
    // Without a response, nothing hostile would be measured.
    await once(others, "response");
    beside.push(await measure());
    others.stop();
    await once(others, "done");
  }
  const [per_second, beside_per_second] = [getMedian(alone), getMedian(beside)];
  return { per_second, beside_per_second, share: roundToThreeDigits(beside_per_second / per_second) };
}
