import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { waitForVersion } from "../../../tools/deploy/version.ts";

const ADDRESS = "https://a.me.workers.dev";
const OLD = `${ADDRESS}/healthz still reports version old instead of new.`;
const fail = (status: number) => `GET ${ADDRESS}/healthz failed: status ${status}`;
const BUSY = fail(503);
const RESET = `GET ${ADDRESS}/healthz failed: reset`;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout"], now: 0 });
  vi.spyOn(console, "log").mockReturnValue();
});
afterEach(() => void vi.useRealTimers().unstubAllGlobals().restoreAllMocks());

const UNKNOWN = `${ADDRESS}/healthz reports no version: the address belongs to a different service, or wrangler.toml has no [version_metadata].`;

/** A response of `/healthz`: a version, `unavailable`, a status, the cause of a failed request, no version, or a different service. */
type Health = string | number | Error | null | undefined;

/**
 * Waits while `/healthz` sends these responses. The last one is repeated.
 * @returns The duration in seconds, the error if the wait failed, and the printed problems
 */
async function wait(responses: Health[], version: string | undefined = "new") {
  vi.stubGlobal("fetch", async () => {
    const health = responses.length > 1 ? responses.shift() : responses[0];
    if (health instanceof Error) throw new TypeError("fetch failed", { cause: health });
    if (health === "unavailable") return Response.json({ status: health }, { status: 503 });
    if (typeof health === "number") return new Response("", { status: health });
    return Response.json(health === undefined ? {} : { code: health && { id: health } });
  });
  const waited = waitForVersion(ADDRESS, version)
    .catch((error: Error) => error.message)
    .then((error) => ({ error, seconds: Date.now() / 1_000 }));
  await vi.runAllTimersAsync();
  return { ...(await waited), printed: vi.mocked(console.log).mock.calls.flat() };
}

const formatWait = (problem: string) => `      waiting for up to ten minutes: ${problem}`;

test.each<[string, Health[], Awaited<ReturnType<typeof wait>>]>([
  ["the new version", ["new"], { seconds: 4, error: undefined, printed: [] }],
  ["no version", [null], { seconds: 600, error: UNKNOWN, printed: [formatWait(UNKNOWN)] }],
  [
    "the old version in between",
    ["old", "old", "new", "new", "old", 503, "new"],
    { seconds: 16, error: undefined, printed: [formatWait(OLD), formatWait(BUSY)] },
  ],
  ["the old version only", ["old"], { seconds: 600, error: OLD, printed: [formatWait(OLD)] }],
  ["503 of the service only", ["unavailable"], { seconds: 600, error: BUSY, printed: [formatWait(BUSY)] }],
  [
    "errors of a new domain only",
    [525],
    { seconds: 600, error: fail(525), printed: [formatWait(fail(525))] },
  ],
  ["errors of the worker only", [500], { seconds: 18, error: fail(500), printed: [formatWait(fail(500))] }],
  ["errors only", [new Error("reset")], { seconds: 600, error: RESET, printed: [formatWait(RESET)] }],
  [
    "the new version just before the end",
    [...Array(300).fill("old"), "new"],
    { seconds: 604, error: undefined, printed: [formatWait(OLD)] },
  ],
])(
  "the wait with %s ends after three correct responses in a row, ten failures, or ten minutes",
  async (_, responses, result) => expect(await wait(responses)).toEqual(result),
);

test("if the address serves one version only, any version counts", async () => {
  expect(await wait([undefined, null], "")).toMatchObject({ seconds: 6, error: undefined });
});
