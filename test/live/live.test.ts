import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { listen } from "../listen.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, startWorker } from "../worker.ts";
import { openFront } from "./front.ts";
import { findDeployment, UsageError } from "./target.ts";

/** Runs what `npm run test:live` runs to its end. */
function runLive(baseUrl: string): Promise<{ status: number; output: string }> {
  const { VITEST: _, ...env } = process.env;
  const options = { env: { ...env, NO_COLOR: "1", BASE_URL: baseUrl } };
  return new Promise((resolve) => {
    execFile(process.execPath, ["test/live/cli.ts"], options, (error, stdout, stderr) => {
      resolve({ status: error ? Number(error.code) : 0, output: stdout + stderr });
    });
  });
}

test("a deployment that fails on request passes behind a cache that compresses, adds headers and limits", async () => {
  const worker = await startWorker({ vars: { PREFER: "code=503" } });
  await loadInto(worker.env, "d1", makeRecords(100));
  const front = await openFront(worker.origin, { refuseEvery: 60 });
  const { status, output } = await runLive(front.origin);
  await Promise.all([front.close(), worker.close()]);
  expect(status, output).toBe(0);
  expect(output).toMatch(/Tests +\d{3} passed/);
  expect(front.counters.refused).toBeGreaterThan(1);
});

test("a wrong response is reported with its request, and the exit status is 1", async () => {
  const server = createServer(({ url }, response) => {
    const body = url === "/healthz" ? { state: { count: 1 } } : { info: { title: "Traffic Count Records" } };
    response.end(JSON.stringify(body));
  });
  const { origin, close } = await listen(server);
  const { status, output } = await runLive(origin);
  await close();
  expect(status).toBe(1);
  expect(output).toContain(
    `The response to GET ${origin}/api/tf1/records/?page=last contradicts the document`,
  );
});

test.each(["counts.example", "localhost:9371", "ftp://counts.example", "https://counts.example/api"])(
  "BASE_URL %j is wrong usage",
  async (baseUrl) => {
    const problem = `BASE_URL is "${baseUrl}"; it must be an address without a path`;
    await expect(findDeployment(baseUrl)).rejects.toThrow(
      new UsageError(`${problem}: BASE_URL=https://counts.example npm run test:live`),
    );
  },
);

test("wrong usage ends with the exit status 2", async () => {
  const problem = "npm run test:live needs a deployment to test";
  const output = `${problem}: BASE_URL=https://counts.example npm run test:live\n`;
  expect(await runLive("")).toEqual({ status: 2, output });
});

test("an address where no server responds is reported", async () => {
  const problem = "http://localhost:9/openapi.json could not be read: bad port";
  await expect(findDeployment("http://localhost:9")).rejects.toThrow(problem);
});

test("a store that fails is reported", async () => {
  const worker = await startWorker({ migrate: false });
  const found = findDeployment(worker.origin);
  await expect(found).rejects.toThrow(/\/healthz could not be read: .*503/);
  await worker.close();
});

test("another service is reported, and gets one request only", async () => {
  const requests: string[] = [];
  const server = createServer(({ method, url }, response) => {
    requests.push(`${method} ${url}`);
    response.end('{"info":{"title":"Pets"}}');
  });
  const { origin, close } = await listen(server);
  await expect(findDeployment(origin)).rejects.toThrow('the title of its /openapi.json is "Pets"');
  await close();
  expect(requests).toEqual(["GET /openapi.json"]);
});
