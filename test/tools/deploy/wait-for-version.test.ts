import { createServer } from "node:http";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { MAX_ERRORS, MIN_RESPONSES, waitForVersion } from "../../../tools/deploy/wait-for-version.ts";
import { listenOnFreePort } from "../../support/free-port.ts";

beforeEach(() => void vi.spyOn(console, "log").mockImplementation(() => undefined));

type Response = [status: number, body: string, location?: string];

const OLD: Response = [200, JSON.stringify({ code: { id: "old" } })];
const NEW: Response = [200, JSON.stringify({ code: { id: "new" } })];

/** Serves responses one after the other, and the last one from then on. */
async function serveHealth(...responses: Response[]) {
  let count = 0;
  const server = createServer((_, response) => {
    const [status, body, location] = responses[Math.min(count, responses.length - 1)] ?? NEW;
    count += 1;
    response.writeHead(status, location === undefined ? {} : { Location: location }).end(body);
  });
  const { origin, close } = await listenOnFreePort(server);
  onTestFinished(close);
  return { origin, countRequests: () => count };
}

// biome-ignore format: a table of cases
test.each<{ name: string; before: Response[]; says: string }>([
  { name: "the previous version is still served", before: [OLD, OLD], says: "still reports version old instead of new" },
  { name: "the previous version is served in between", before: [NEW, NEW, NEW, OLD], says: "still reports version old" },
  { name: "the worker fails for a moment", before: [NEW, [500, "error code: 1101"]], says: "returned 500: no version" },
  { name: "the certificate of a domain is not ready", before: Array(MAX_ERRORS + 1).fill([525, ""]), says: "returned 525" },
  { name: "something else is served at the address", before: [[200, "<h1>Parked</h1>"], [200, "{}"]], says: "returned 200" },
])("waits for several responses of the new version in a row while $name, and says so once", async ({ before, says }) => {
  const { origin, countRequests } = await serveHealth(...before, NEW);
  await waitForVersion(origin, { version: "new", intervalMs: 0 });
  expect(countRequests()).toBe(before.length + MIN_RESPONSES);
  expect(vi.mocked(console.log).mock.calls).toEqual([[expect.stringContaining(`/healthz ${says}`)]]);
});

test("accepts any version at the address of a preview", async () => {
  const { origin, countRequests } = await serveHealth(OLD);
  await waitForVersion(origin, { intervalMs: 0 });
  expect(countRequests()).toBe(MIN_RESPONSES);
});

const LOGIN = "https://team.example/cdn-cgi/access/login";

// biome-ignore format: a table of cases
test.each<[string, Response, string]>([
  ["every request fails in the worker", [500, "error code: 1101"], "returned 500: no version"],
  ["a login is needed", [302, "", LOGIN], `redirects to "${LOGIN}". It must`],
  ["the reason has several lines", [503, JSON.stringify({ detail: "a\n::warning::b" })], String.raw`returned 503: "a\n::warning::b"`],
  ["the reason is long", [503, JSON.stringify({ detail: "a".repeat(199) })], `returned 503: "${"a".repeat(198)}…`],
])("gives up soon if %s, and says so", async (_, response, problem) => {
  const { origin, countRequests } = await serveHealth(response);
  const waiting = waitForVersion(origin, { version: "new", intervalMs: 0 });
  await expect(waiting).rejects.toThrow(`${origin}/healthz ${problem}`);
  expect(countRequests()).toBe(MAX_ERRORS);
});
