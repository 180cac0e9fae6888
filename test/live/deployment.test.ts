import { createServer } from "node:http";
import { expect, test } from "vitest";
import { listen } from "../listen.ts";
import { findDeployment, UsageError } from "./deployment.ts";

test.each(["", "counts.example", "localhost:9371", "ftp://counts.example", "https://counts.example/api"])(
  "BASE_URL %j is wrong usage",
  async (baseUrl) => {
    const problem =
      baseUrl === ""
        ? "npm run test:live needs a deployment to test"
        : `BASE_URL is "${baseUrl}"; it must be an address without a path`;
    await expect(findDeployment(baseUrl)).rejects.toThrow(
      new UsageError(`${problem}: BASE_URL=https://counts.example npm run test:live`),
    );
  },
);

test("an address where no server responds is reported", async () => {
  await expect(findDeployment("http://localhost:9")).rejects.toThrow(
    "BASE_URL http://localhost:9 does not answer as this service does",
  );
});

test("another service is reported, and gets one request only", async () => {
  const requests: string[] = [];
  const server = createServer(({ method, url }, response) => {
    requests.push(`${method} ${url}`);
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"info":{"title":"Pets"}}');
  });
  const { origin, close } = await listen(server);
  await expect(findDeployment(origin)).rejects.toThrow('is another service: its /openapi.json is of "Pets"');
  await close();
  expect(requests).toEqual(["GET /openapi.json"]);
});
