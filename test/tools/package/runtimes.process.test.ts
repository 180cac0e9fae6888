import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { get } from "node:https";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { CERT, CLIENT, COMMAND, installPackage, KEY, runIn, startCommand } from "./built-package.ts";

/** Paths of other versions of Node and of other runtimes, which CI installs. */
const { LOWEST_NODE = "", NEWEST_NODE = "", BUN = "", DENO = "" } = process.env;

const PACKAGE = "node_modules/traffic-count-records";

const folder = await installPackage();
await writeFile(join(folder, "client.ts"), CLIENT);

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
  test.runIf(runtime)("the command serves the sample data with TLS, and checks it", async () => {
    const { url, stop } = await startCommand(folder, ["--cert", CERT, "--key", KEY], [runtime, ...own]);
    expect(url).toMatch(/^https:/);
    const paths = ["/", "/docs", "/healthz", "/api/tf1/records/?prefer=body%3Dslow"];
    const ca = readFileSync(CERT);
    for (const path of paths)
      for (const accept of ["application/json", "text/html"]) {
        // A header whose name is also a member of objects.
        const headers = { accept, constructor: "a" };
        const [response] = await once(get(url + path, { ca, headers }), "response");
        await text(response);
        expect([path, response.statusCode]).toEqual([path, 200]);
      }
    const check = [...own, COMMAND, "conformance", url, "--pages", "2"];
    const checked = await runIn(folder, runtime, check, { NODE_EXTRA_CA_CERTS: CERT, DENO_CERT: CERT });
    expect(checked.stdout).toMatch(/^\d+ rules followed, 0 broken: /m);
    expect(checked.status).toBe(0);
    expect((await stop()).stderr).toBe("");
  });

  test.runIf(runtime)("a client uses the package", async () => {
    const client = await runIn(folder, runtime, [...own, "client.ts"], ENV);
    expect(client).toEqual({ status: 0, stdout: "200 1 localhost\n", stderr: "" });
  });

  test.runIf(runtime)("service.fetch gives what the global fetch gives", async () => {
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
  });
});
