import { createServer } from "node:http";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { MAX_ERRORS, MIN_RESPONSES, waitForVersion } from "../../../tools/deploy/wait-for-version.ts";
import { listenOnFreePort } from "../../support/free-port.ts";

beforeEach(() => void vi.spyOn(console, "log").mockImplementation(() => undefined));

type Response = [status: number, body: string];

const OLD: Response = [200, JSON.stringify({ code: { id: "old" } })];
const NEW: Response = [200, JSON.stringify({ code: { id: "new" } })];

/** Serves responses one after the other, and the last one from then on. */
async function serveHealth(...responses: Response[]) {
  let count = 0;
  const server = createServer((_, response) => {
    const [status, body] = responses[Math.min(count, responses.length - 1)] ?? NEW;
    count += 1;
    response.writeHead(status).end(body);
  });
  const { origin, close } = await listenOnFreePort(server);
  onTestFinished(close);
  return { origin, countRequests: () => count };
}

test.each<{ name: string; before: Response[] }>([
  { name: "the previous version is still served", before: [OLD, OLD] },
  { name: "the previous version is served in between", before: [NEW, NEW, NEW, OLD] },
  { name: "the worker fails for a moment", before: [NEW, [500, "error code: 1101"]] },
  { name: "the certificate of a domain is not ready", before: Array(MAX_ERRORS + 1).fill([525, ""]) },
  {
    name: "something else is served at the address",
    before: [
      [200, "<h1>Parked</h1>"],
      [200, "{}"],
    ],
  },
])("waits for several responses of the new version in a row while $name", async ({ before }) => {
  const { origin, countRequests } = await serveHealth(...before, NEW);
  await waitForVersion(origin, { version: "new", intervalMs: 0 });
  expect(countRequests()).toBe(before.length + MIN_RESPONSES);
});

test("accepts any version at the address of a preview", async () => {
  const { origin, countRequests } = await serveHealth(OLD);
  await waitForVersion(origin, { intervalMs: 0 });
  expect(countRequests()).toBe(MIN_RESPONSES);
});

test("says once what it waits for", async () => {
  const { origin } = await serveHealth(OLD, OLD, NEW);
  await waitForVersion(origin, { version: "new", intervalMs: 0 });
  expect(vi.mocked(console.log).mock.calls).toEqual([
    [expect.stringContaining("/healthz still reports version old instead of new")],
  ]);
});

test("gives up soon if every request fails in the worker", async () => {
  const { origin, countRequests } = await serveHealth([500, "error code: 1101"]);
  const waiting = waitForVersion(origin, { version: "new", intervalMs: 0 });
  await expect(waiting).rejects.toThrow(`${origin}/healthz returned 500: no version`);
  expect(countRequests()).toBe(MAX_ERRORS);
});
