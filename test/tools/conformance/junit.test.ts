import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { RULES } from "../../../tools/conformance/check.ts";
import { createFolder } from "../../temporary-folder.ts";
import { makeCollection, service, setUpService } from "./fake-service.ts";
import { runConformance } from "./run-conformance.ts";

const folder = createFolder();

const RECORDS = makeCollection(40);

setUpService(RECORDS);

/** The number of rules that the specification does not show, plus the rule that --read-only does not check. */
const SKIPPED = RULES.filter(({ notShown }) => notShown).length + 1;

/** Parses the elements of an XML document and requires that they are nested correctly. */
function parseElements(xml: string): { name: string; attributes: string; text: string }[] {
  const open: string[] = [];
  const elements: { name: string; attributes: string; text: string }[] = [];
  const markup = /<(\/?)(\w[\w-]*)((?: [\w-]+="[^"<]*")*)(\/?)>([^<>]*)/gy;
  markup.lastIndex = xml.indexOf("\n") + 1;
  for (let end = markup.lastIndex; end < xml.length; end = markup.lastIndex) {
    const [, closes, name = "", attributes = "", empty, text = ""] = markup.exec(xml) ?? [];
    expect(name, `at ${xml.slice(end, end + 60)}`).not.toBe("");
    if (closes) expect(open.pop()).toBe(name);
    else if (!empty) open.push(name);
    if (!closes) elements.push({ name, attributes, text });
  }
  expect(open).toEqual([]);
  return elements;
}

describe("--junit", () => {
  test("writes one test case for each rule", async () => {
    const file = join(folder, "conformance.xml");
    const name = '<"&\u0007\uFFFF\u009B31m';
    service.records = RECORDS.with(17, { ...RECORDS[17]!, model_name: name as "tf1" });
    const { status } = await runConformance(service.origin, "--read-only", "--junit", file);
    expect(status).toBe(1);
    const xml = await readFile(file, "utf8");
    expect(xml).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/);
    // XML 1.0 does not allow these characters (section 2.2) and does not define any other references.
    expect(xml).not.toMatch(/[^\n\P{Cc}]|\p{Cs}|[\uFFFE\uFFFF]|&(?!(amp|lt|gt|quot|#9|#10|#13);)/u);
    const elements = parseElements(xml);
    const named = (name: string) => elements.filter((element) => element.name === name);
    expect(named("testcase")).toHaveLength(RULES.length + 1);
    expect(named("testsuite")[0]?.attributes).toContain(
      ` tests="${RULES.length + 1}" failures="1" errors="0" skipped="${SKIPPED}"`,
    );
    expect(named("skipped")).toHaveLength(SKIPPED);
    expect(named("property").map(({ attributes }) => attributes)).toEqual([
      ' name="count" value="40"',
      ' name="pages" value="3"',
      ' name="records" value="40"',
      ' name="growths" value="0"',
      ' name="retries" value="0"',
    ]);
    const [failure, ...others] = named("failure");
    expect(others).toEqual([]);
    expect(failure?.attributes).toContain("model_name is &quot;&lt;\\&quot;&amp;\\u0007");
  });

  test("writes an error if the check ended early", async () => {
    const file = join(folder, "stopped.xml");
    service.reply = (reply, { page }) =>
      page === "2" ? { ...reply, status: 503, headers: { "Retry-After": "86400" } } : reply;
    const { status } = await runConformance(service.origin, "--junit", file);
    expect(status).toBe(2);
    const errors = parseElements(await readFile(file, "utf8")).filter(({ name }) => name === "error");
    expect(errors).toEqual([
      { name: "error", attributes: expect.stringContaining("returned 503"), text: "" },
    ]);
  });

  test.each([
    ["in a missing folder", "nowhere/file.xml", "it does not exist"],
    ["a folder", ".", "it is a directory"],
  ])("is rejected before the first request if the file is %s", async (_, file, code) => {
    const { status, stdout, stderr } = await runConformance(service.origin, "--junit", join(folder, file));
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`It cannot be written: ${code}`);
    expect(service.requests).toEqual([]);
  });

  test("leaves an existing file unchanged if nothing could be checked", async () => {
    const [old, none] = [join(folder, "old.xml"), join(folder, "none.xml")];
    await writeFile(old, "<old/>");
    service.reply = (reply) => ({ ...reply, status: 404, body: "{}" });
    for (const file of [old, none])
      expect((await runConformance(service.origin, "--junit", file)).status).toBe(2);
    expect(await readFile(old, "utf8")).toBe("<old/>");
    await expect(readFile(none)).rejects.toThrow("ENOENT");
  });

  test("can write to a device", async () => {
    expect((await runConformance(service.origin, "--read-only", "--junit", "/dev/null")).status).toBe(0);
  });

  test("is written after the table, which is printed even if the file can no longer be written", async () => {
    const away = join(folder, "away");
    await mkdir(away);
    service.reply = async (reply, { method }) => {
      if (method === "OPTIONS") await rm(away, { recursive: true, force: true });
      return reply;
    };
    const { status, stdout, stderr } = await runConformance(
      service.origin,
      "--junit",
      join(away, "file.xml"),
    );
    expect(status).toBe(2);
    expect(stdout).toMatch(/ pass, 0 fail/);
    expect(stderr).toContain("ENOENT");
  });
});
