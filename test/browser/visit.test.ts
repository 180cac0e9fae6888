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

test("a visit reports requests to another host, and pages without a policy", async ({ visit }) => {
  const other = "http://127.0.0.1:9/";
  const problems = [`request to another host: ${other}`, expect.stringMatching(/^no policy: .*bare$/)];
  const page = await visit({ problems: expect.arrayContaining(problems) });
  await page.route("/bare", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }));
  await page.goto("/bare");
  await page.goto(other).catch(() => {});
});
