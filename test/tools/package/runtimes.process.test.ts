import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CLIENT, COMMAND, installPackage, runIn, startCommand } from "./built-package.ts";

/** Paths of other versions of Node and of other runtimes, which CI installs. */
const { LOWEST_NODE = "", NEWEST_NODE = "", BUN = "", DENO = "" } = process.env;

const PACKAGE = "node_modules/traffic-count-records";

let folder: string;
beforeAll(async () => {
  folder = await installPackage();
  await writeFile(join(folder, "client.ts"), CLIENT);
});

/** The lowest Node reads TypeScript only with an option. */
const ENV = { NODE_OPTIONS: "--no-warnings --experimental-strip-types --expose-gc" };

/** Removes what Bun and Deno say of an error in their own words. */
const withoutDetails = (result: unknown) => JSON.parse(JSON.stringify(result).replaceAll(/ \([^)]*\)/g, ""));

describe.each<[string, string, ...string[]]>([
  ["the current Node", process.execPath],
  ["the lowest Node", LOWEST_NODE],
  ["the newest Node", NEWEST_NODE],
  ["Bun", BUN],
  ["Deno", DENO, "run", "--allow-all"],
])("in %s", (name, runtime, ...own) => {
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
    const client = await runIn(folder, runtime, [...own, "client.ts"], ENV);
    expect(client).toEqual({ status: 0, stdout: "200 1 localhost\n", stderr: "" });
  });

  test.runIf(runtime)(
    "service.fetch gives what the global fetch of Node gives, and that of this runtime",
    async () => {
      const program = [resolve("test/tools/package/fetch-calls.ts"), join(folder, PACKAGE, "index.js")];
      const { stdout } = await runIn(folder, runtime, [...own, ...program], ENV);
      const calls = JSON.parse(stdout);
      expect(calls.length).toBeGreaterThan(35);
      for (const { name: call, service, global, expected, except } of calls) {
        expect({ call, result: service }).toEqual({ call, result: expected });
        const normalize = name.includes("Node") ? structuredClone : withoutDetails;
        if (!except?.includes(name))
          expect({ call, result: normalize(global) }).toEqual({ call, result: normalize(expected) });
      }
    },
  );
});
