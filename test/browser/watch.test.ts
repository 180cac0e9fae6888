import { expect, test } from "./visit.ts";

test("a visit notices dialogs, complaints, errors, and what is missing", async ({ visit }) => {
  const problems = [
    ["alert('hello')", /^opens a dialog: hello/],
    ["console.error('broken')", /^complains: broken/],
    ["console.warn('old')", /^complains: old/],
    ["setTimeout(() => { throw new Error('thrown') })", /^throws: Error: thrown/],
    [
      "Object.assign(new Image(), { src: '/missing.png' })",
      /^complains: Failed to load resource.*missing.png/,
    ],
  ] as const;
  const page = await visit({ problems: problems.map(([, problem]) => expect.stringMatching(problem)) });
  await page.goto("/api/tf1/records/");
  const last = page.waitForEvent("console", (message) => message.text().startsWith("Failed to load"));
  for (const [script] of problems) await page.evaluate(`void ${script}`);
  await last;
});

test("a visit notices another host, be it refused by the policy or not", async ({ visit }) => {
  const other = "http://127.0.0.1:9/";
  const page = await visit({
    problems: expect.arrayContaining([
      `asks another host: ${other}`,
      expect.stringMatching(/^complains: violates img-src: http:..127.0.0.1:9/),
    ]),
  });
  await page.goto("/api/tf1/records/");
  await page.evaluate((src) => Object.assign(document.images[0]!, { src }), other);
  await page.goto(other).catch(() => {});
});

test("a visit notices a page without policy", async ({ visit }) => {
  const page = await visit({ problems: [expect.stringMatching(/^has no policy: .*bare$/)] });
  await page.route("/bare", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }));
  await page.goto("/bare");
});
