import { Hono } from "hono";
import { compress } from "hono/compress";
import { proxy } from "hono/proxy";
import { expect, test } from "vitest";
import { listen } from "../../tools/package/listen.ts";
import { makeRecords } from "../records/sample.ts";
import { runProcess } from "../tools/command-line/run-command.ts";
import { loadInto, startWorker } from "../worker.ts";
import { readDeployment } from "./target.ts";

/** Runs the script of `npm run test:live`. */
async function runLive(baseUrl: string): Promise<{ status: number | null; output: string }> {
  const { VITEST: _, ...inherited } = process.env;
  const env = { ...inherited, NO_COLOR: "1", BASE_URL: baseUrl };
  const { status, stdout, stderr } = await runProcess(process.execPath, ["test/live/run-live.ts"], { env });
  return { status, output: stdout + stderr };
}

/** Starts a proxy that compresses responses, adds headers, and rejects every sixtieth request. */
async function startProxy(origin: string) {
  let requests = 0;
  const app = new Hono().use(compress({ threshold: 0 })).all(async (c) => {
    requests += 1;
    if (requests % 60 === 0) return c.text("slow down", 429, { "Retry-After": "0" });
    const { origin: proxyOrigin, pathname, search } = new URL(c.req.url);
    const response = await proxy(origin + pathname + search, { ...c.req, redirect: "manual" });
    const { status, headers } = response;
    headers.set("Server", "front");
    for (const [name, value] of [...headers]) {
      if (name === "link") headers.set(name, value.replace(origin, proxyOrigin));
      if (name === "vary") headers.set(name, value.toLowerCase());
    }
    return new Response((await response.text()).replaceAll(origin, proxyOrigin) || null, { status, headers });
  });
  return { ...(await listen(app.fetch, { port: 0 })), countRequests: () => requests };
}

test("a deployment with default faults passes behind a proxy that compresses, adds headers and rejects requests", async () => {
  const worker = await startWorker({ vars: { PREFER: "code=503" } });
  await loadInto(worker.env, "d1", makeRecords(100));
  const proxyServer = await startProxy(worker.origin);
  const { status, output } = await runLive(proxyServer.url);
  await Promise.all([proxyServer.close(), worker.close()]);
  expect(status, output).toBe(0);
  expect(output).toMatch(/Tests +\d{3} passed/);
  expect(proxyServer.countRequests()).toBeGreaterThan(120);
});

test("an unexpected response is reported with its request, and the exit status is 1", async () => {
  const body = { info: { title: "Traffic Count Records" }, snapshot: { count: 1 } };
  const { url, close } = await listen(() => Response.json(body), { port: 0 });
  const { status, output } = await runLive(url);
  await close();
  expect(status).toBe(1);
  expect(output).toContain(`The response to GET ${url}/api/tf1/records/?page=last contradicts the document`);
});

test("an invalid BASE_URL ends with the exit status 2", async () => {
  const output =
    'BASE_URL is ""; it must be an http or https URL without a path, such as "https://counts.example"\n';
  expect(await runLive("")).toEqual({ status: 2, output });
});

test("a URL without a server is reported", async () => {
  const problem = "http://localhost:9/openapi.json could not be read: bad port";
  await expect(readDeployment("http://localhost:9")).rejects.toThrow(problem);
});

test.each<[string, Record<string, string>, string, string[]]>([
  ["a different service", { "/openapi.json": "Pets" }, 'its /openapi.json is "Pets"', ["/openapi.json"]],
  [
    "a service whose store fails",
    { "/openapi.json": "Traffic Count Records" },
    "/healthz could not be read: the status is 503",
    ["/openapi.json", "/healthz"],
  ],
])("%s is reported, and gets no further request", async (_, titles, problem, expected) => {
  const requests: string[] = [];
  const respond = (request: Request) => {
    const { pathname } = new URL(request.url);
    requests.push(pathname);
    const title = titles[pathname];
    return Response.json({ info: { title } }, { status: title ? 200 : 503 });
  };
  const { url, close } = await listen(respond, { port: 0 });
  await expect(readDeployment(url)).rejects.toThrow(problem);
  await close();
  expect(requests).toEqual(expected);
});
