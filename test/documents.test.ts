import { readdir, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

const NAMES = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
  ...(await readdir("docs")).map((name) => `docs/${name}`),
];
const PAGES = await Promise.all(NAMES.map(async (name) => ({ name, text: await readFile(name, "utf8") })));
test.each(PAGES)("the links of $name lead somewhere", async ({ name, text }) => {
  for (const [, file = "", heading] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
    const target = file === "" ? name : normalize(join(dirname(name), file));
    const headings = [...(await readFile(target, "utf8")).matchAll(/^#+ (.+)$/gm)].map(([, line = ""]) =>
      line
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, "")
        .replaceAll(" ", "-"),
    );
    if (heading !== undefined) expect(headings, `${target}#${heading}`).toContain(heading);
  }
});
