import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { waitForVersion } from "../../../tools/deploy/served-version.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: 0 }));
afterEach(() => void vi.useRealTimers().unstubAllGlobals());

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

const wait = (address = "https://a.me.workers.dev") => waitForVersion(address, "new", sleep);

test("three consecutive responses must come from the new version", async () => {
  const fetch = serve("old", "old", "new", "old", 503, "new", "new", "new");
  await wait();
  expect(fetch).toHaveBeenCalledTimes(8);
});

test.each<[string | number, string]>([
  ["old", "https://a.me.workers.dev/healthz still reports version old instead of new."],
  [503, "GET https://a.me.workers.dev/healthz failed: status 503"],
])("fails after three minutes if the response is %j", async (version, problem) => {
  serve(version);
  await expect(wait()).rejects.toThrow(problem);
  expect(Date.now()).toBe(180_000);
});

test("waits longer for a custom domain, which needs a certificate", async () => {
  vi.stubGlobal("fetch", async () => {
    throw new TypeError("fetch failed", { cause: new Error("certificate has expired") });
  });
  await expect(wait("https://a.example")).rejects.toThrow("healthz failed: certificate has expired");
  expect(Date.now()).toBe(600_000);
});

test("confirms a version that appears just before the end", async () => {
  serve(...Array.from({ length: 90 }, () => "old"), "new");
  await wait();
  expect(Date.now()).toBeGreaterThan(180_000);
});

test("a service that does not report its version only has to respond", async () => {
  const fetch = serve(undefined);
  await wait();
  expect(fetch).toHaveBeenCalledTimes(3);
});
