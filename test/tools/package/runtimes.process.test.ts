import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CLIENT, COMMAND, installPackage, runIn, startCommand } from "./built-package.ts";

/** Paths of other versions of Node and of other runtimes, which CI installs. */
const { LOWEST_NODE = "", NEWEST_NODE = "", BUN = "", DENO = "" } = process.env;

let folder: string;
beforeAll(async () => {
  folder = await installPackage();
  await writeFile(join(folder, "client.ts"), CLIENT);
});

describe.each<[string, string, ...string[]]>([
  ["the current Node", process.execPath],
  ["the lowest Node", LOWEST_NODE],
  ["the newest Node", NEWEST_NODE],
  ["Bun", BUN],
  ["Deno", DENO, "run", "--allow-all"],
])("in %s", (_, runtime, ...own) => {
  test.runIf(runtime)("the command serves the sample data, and checks it", async () => {
    const { url, stop } = await startCommand(folder, [], [runtime, ...own]);
    const paths = ["/", "/docs", "/healthz", "/api/tf1/records/?prefer=body%3Dslow"];
    const responses = ["application/json", "text/html"].flatMap((accept) =>
      paths.map((path) => fetch(url + path, { headers: { accept } })),
    );
    const failed = (await Promise.all(responses)).filter(({ status }) => status !== 200);
    expect(failed.map(({ status, url }) => [status, url])).toEqual([]);
    const checked = await runIn(folder, runtime, [...own, COMMAND, "conformance", url, "--pages", "2"]);
    expect(checked.stdout).toMatch(/^\d+ rules followed, 0 broken: /m);
    expect(checked.status).toBe(0);
    expect((await stop()).stderr).toBe("");
  });

  test.runIf(runtime)("a client uses the package", async () => {
    // The lowest Node reads TypeScript only with an option.
    const env = { NODE_OPTIONS: "--no-warnings --experimental-strip-types" };
    const client = await runIn(folder, runtime, [...own, "client.ts"], env);
    expect(client).toEqual({ status: 0, stdout: "200 1 localhost\n", stderr: "" });
  });
});
