import { OpenAPIClientAxios } from "openapi-client-axios";
import { describe, expect, test } from "vitest";
import type { Example, OpenApiDocument } from "../../../src/http/openapi/types.ts";
import { createExchanges, toExample } from "../../../src/records/openapi/examples.ts";
import { Page } from "../../../src/records/record.ts";
import { describeService } from "../../../src/site/openapi/document.ts";
import { checkResponse } from "../../openapi-check.ts";
import { useService } from "../../serve.ts";
import { createFolder } from "../../temporary-folder.ts";
import { startWorker } from "../../worker.ts";

const PATH = "/api/tf1/records/";

const served = useService(createFolder());

/** All examples of the document, by name. */
function collectExamples({ paths }: OpenApiDocument): Map<string, Example> {
  const responses = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ responses }) => Object.values(responses)),
  );
  const media = responses.flatMap(({ content = {} }) => Object.values(content));
  return new Map(media.flatMap(({ examples = {} }) => Object.entries(examples)));
}

describe("the examples", () => {
  test("are exactly the exchanges", () => {
    const expected = Object.entries(createExchanges(served.origin)).map(
      ([name, exchange]): [string, Example] => [name, toExample(exchange)],
    );
    const examples = collectExamples(describeService(served.origin));
    expect([...examples].sort()).toEqual(expected.sort());
  });

  test("contain the pages that the worker returns while the seed is loaded", async () => {
    const numbers = ["1", "2", "2708"];
    const responses = await Promise.all(
      numbers.map(async (page) =>
        Page.parse(await (await fetch(`${served.origin}${PATH}?page=${page}`)).json()),
      ),
    );
    const pages = Object.fromEntries(responses.map(({ results }, index) => [numbers[index], results]));
    const seed = { count: responses[0]?.count, pages };
    await expect(`${JSON.stringify(seed, null, 2)}\n`).toMatchFileSnapshot(
      "../../../src/records/openapi/seed-pages.json",
    );
  });

  test.each(Object.keys(createExchanges("")).filter((name) => name !== "unavailable"))(
    "%s is byte for byte the response of the worker",
    async (name) => {
      const exchanges = new Map(Object.entries(createExchanges(served.origin)));
      const { method, query, accept, status, body } = exchanges.get(name)!;
      const headers = { accept: accept ?? "*/*" };
      const request = new Request(served.origin + PATH + query, { method, headers });
      const response = await fetch(request);
      await checkResponse(request, response);
      expect(response.status).toBe(status);
      expect(await response.text()).toBe(JSON.stringify(body));
    },
  );

  test("unavailable is the response of a worker whose database has no tables", async () => {
    const worker = await startWorker({ migrate: false });
    try {
      const { query, status, body } = createExchanges(worker.origin).unavailable;
      const response = await worker.fetch(PATH + query);
      expect(response.status).toBe(status);
      expect(await response.text()).toBe(JSON.stringify(body));
    } finally {
      await worker.close();
    }
  });
});

describe("a client that a library generates from the document", () => {
  /** Reads the document over HTTP. */
  async function openClient() {
    const definition = `${served.origin}/openapi.json`;
    const client = await new OpenAPIClientAxios({ definition }).init();
    client.defaults.adapter = "fetch";
    client.defaults.validateStatus = () => true;
    return client;
  }

  test("reads three pages", async () => {
    const { listRecords } = await openClient();
    const ids = new Set<number>();
    for (const page of [1, 2, 3]) {
      const { status, data } = await listRecords!({ page });
      expect(status).toBe(200);
      const { next, results } = Page.parse(data);
      expect(next).toBe(`${served.origin}${PATH}?format=api&page=${page + 1}`);
      for (const { id } of results) ids.add(id);
    }
    expect(ids.size).toBe(45);
  });

  test("gets a 404 for page 0", async () => {
    const { listRecords } = await openClient();
    const { status, data } = await listRecords!({ page: 0 });
    expect([status, data]).toEqual([404, { detail: "Invalid page." }]);
  });

  test("gets a 304 if its copy is current", async () => {
    const { listRecords } = await openClient();
    const { headers } = await listRecords!();
    const { status } = await listRecords!({ "If-None-Match": headers.etag });
    expect(status).toBe(304);
  });

  test("reads the description", async () => {
    const { describeRecords } = await openClient();
    const { status, data } = await describeRecords!();
    expect([status, data]).toEqual([200, createExchanges(served.origin).description.body]);
  });
});
