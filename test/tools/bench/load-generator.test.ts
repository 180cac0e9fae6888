import { createServer } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Page } from "../../../src/records/record.ts";
import { measure } from "../../../tools/bench/load-generator.ts";
import { createRequests, namePages } from "../../../tools/bench/pages.ts";
import { listen } from "../../listen.ts";
import { compareNewestFirst } from "../../records/sample.ts";
import { runData } from "../../run-command.ts";
import { createFolder } from "../../temporary-folder.ts";

const BODY = "the page";

/** Measures a server whose 20th response is another one. */
async function measureServer({ status = 200, body = BODY }) {
  let responses = 0;
  const server = createServer((_, response) => {
    responses += 1;
    response.statusCode = responses === 20 ? status : 200;
    response.end(responses === 20 ? body : BODY);
  });
  const { origin, close } = await listen(server);
  return measure({ url: origin, body: BODY }, 20).finally(close);
}

test("responses with the page are counted and timed", async () => {
  const { rps, p50_ms, p99_ms } = await measureServer({});
  expect(rps).toBeGreaterThan(0);
  expect(p50_ms).toBeGreaterThan(0);
  expect(p99_ms).toBeGreaterThanOrEqual(p50_ms);
});

test.each([
  [{ body: "another page" }, "1 responses were not the page"],
  [{ status: 500 }, "statuses: 200, 500"],
])("one response with %j fails the measurement", async (wrong, message) =>
  expect(measureServer(wrong)).rejects.toThrow(message),
);

test("the expected pages follow from the file with the records", async () => {
  const file = join(createFolder(), "records.csv");
  await runData(["generate", "--records", "700", "--out", file]);
  const pages = namePages(700);
  // The newest 100 records are in the state.
  expect(pages).toEqual({ first: 8, middle: 24, last: 47 });
  const request = await createRequests(file, Object.values(pages));
  const [first, middle, last] = Object.values(pages).map((page) => {
    const { url, body } = request(page, "http://localhost");
    expect(url).toBe(`http://localhost/api/tf1/records/?format=api&page=${page}`);
    return Page.parse(JSON.parse(body));
  });
  expect(first?.previous).toBe("http://localhost/api/tf1/records/?format=api&page=7");
  expect(middle?.next).toBe("http://localhost/api/tf1/records/?format=api&page=25");
  expect(middle?.results).toEqual(middle?.results.toSorted(compareNewestFirst));
  expect(last).toMatchObject({ count: 700, next: null, results: { length: 10 } });
});
