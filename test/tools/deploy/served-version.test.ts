import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { waitForVersion } from "../../../tools/deploy/served-version.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: 0 }));
afterEach(() => void vi.useRealTimers().unstubAllGlobals().restoreAllMocks());

const sleep = async (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds);

/** Lets `/healthz` respond with these versions, and then with the last one. */
function serve(...versions: (string | number | undefined)[]) {
  const fetch = vi.fn<(url: string) => Promise<Response>>(async () => {
    const version = versions.length > 1 ? versions.shift() : versions[0];
    if (typeof version === "number") return new Response("", { status: version });
    return Response.json(version === undefined ? {} : { code: { id: version } });
  });
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

const wait = () => waitForVersion("https://a.me.workers.dev", "new", sleep);

test("three consecutive responses must come from the new version", async () => {
  const fetch = serve("old", "old", "new", "old", 503, "new", "new", "new");
  await wait();
  expect(fetch).toHaveBeenCalledTimes(8);
});

test.each<[string | number, string]>([
  ["old", "https://a.me.workers.dev/healthz still reports version old instead of new."],
  [503, "GET https://a.me.workers.dev/healthz failed: status 503"],
])("shows progress and fails after ten minutes if the response is %j", async (version, problem) => {
  serve(version);
  const print = vi.spyOn(console, "log").mockReturnValue();
  await expect(wait()).rejects.toThrow(problem);
  expect(Date.now()).toBe(600_000);
  expect(print).toHaveBeenCalledTimes(19);
  expect(print).toHaveBeenLastCalledWith(`      waiting for up to ten minutes: ${problem}`);
});

test("a request that fails shows its cause", async () => {
  vi.stubGlobal("fetch", async () => {
    throw new TypeError("fetch failed", { cause: new Error("certificate has expired") });
  });
  vi.spyOn(console, "log").mockReturnValue();
  await expect(wait()).rejects.toThrow("healthz failed: certificate has expired");
});

test("confirms a version that appears just before the end", async () => {
  serve(...Array.from({ length: 300 }, () => "old"), "new");
  vi.spyOn(console, "log").mockReturnValue();
  await wait();
  expect(Date.now()).toBeGreaterThan(600_000);
});

test("a service that does not report its version only has to respond", async () => {
  const fetch = serve(undefined);
  await wait();
  expect(fetch).toHaveBeenCalledTimes(3);
});
