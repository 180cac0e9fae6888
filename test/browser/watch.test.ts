import { expect, test } from "./visit.ts";

test("a visit reports dialogs, console messages, errors, and missing files", async ({ visit }) => {
  const problems = [
    ["alert('hello')", /^dialog: hello/],
    ["console.error('broken')", /^console: broken/],
    ["console.warn('old')", /^console: old/],
    ["setTimeout(() => { throw new Error('thrown') })", /^error: Error: thrown/],
    ["Object.assign(new Image(), { src: '/missing.png' })", /^console: Failed to load resource.*missing.png/],
  ] as const;
  const page = await visit({ problems: problems.map(([, problem]) => expect.stringMatching(problem)) });
  await page.goto("/api/tf1/records/");
  const last = page.waitForEvent("console", (message) => message.text().startsWith("Failed to load"));
  for (const [script] of problems) await page.evaluate(`void ${script}`);
  await last;
});

test("a visit reports requests to another host, whether the policy blocks them or not", async ({ visit }) => {
  const other = "http://127.0.0.1:9/";
  const page = await visit({
    problems: expect.arrayContaining([
      `request to another host: ${other}`,
      expect.stringMatching(/^console: violates img-src: http:..127.0.0.1:9/),
    ]),
  });
  await page.goto("/api/tf1/records/");
  const reported = page.waitForEvent("console", (message) => message.text().startsWith("violates"));
  await page.evaluate((src) => Object.assign(document.images[0]!, { src }), other);
  await reported;
  await page.goto(other).catch(() => {});
});

test("a visit reports a page without a policy", async ({ visit }) => {
  const page = await visit({ problems: [expect.stringMatching(/^no policy: .*bare$/)] });
  await page.route("/bare", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }));
  await page.goto("/bare");
});
