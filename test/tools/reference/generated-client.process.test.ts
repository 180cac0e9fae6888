import { execFile } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { listen } from "../../../tools/package/listen.ts";
import { toReply } from "../../../tools/package/respond.ts";
import { EXAMPLE_RECORDS, OPENAPI_DOCUMENT } from "../../../tools/reference/openapi.ts";
import { createMemoryService } from "../../support/memory-service.ts";
import { createFolder } from "../../support/temporary-folder.ts";

/** The folder in which openapi-typescript, openapi-fetch and TypeScript 5 are installed. CI installs them. */
const { OPENAPI_TYPESCRIPT = "" } = process.env;

/** @param url The URL of the service */
const createClientCode = (url: string) => `import createClient from "openapi-fetch";
import type { components, paths } from "./types.js";

const client = createClient<paths>({ baseUrl: "${url}" });
const { data } = await client.GET("/api/tf1/records/", { params: { query: { page: "last" } } });
if (!data) throw new Error("no page");
const health: ("True" | "False" | null)[] = data.results.map((record) => record.camera_ok);
const next: string | null = data.next;
const { error } = await client.GET("/api/tf1/records/", { params: { query: { page: 99 } } });
const detail: string | undefined = error?.detail;
const first: components["schemas"]["TrafficRecord"] | undefined = data.results[0];
console.log(JSON.stringify({ health, next, detail, id: first?.id }));
`;

test.runIf(OPENAPI_TYPESCRIPT)("the linter of the generator accepts the document", async () => {
  const require = createRequire(join(OPENAPI_TYPESCRIPT, "node_modules/openapi-typescript/package.json"));
  const { createConfig, lintFromString } = require("@redocly/openapi-core");
  const config = await createConfig({ rules: { struct: "error" } }, { extends: ["recommended"] });
  const lint = async (document: object) => {
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    return problems.map(({ message }: { message: string }) => message);
  };
  expect(await lint(OPENAPI_DOCUMENT)).toEqual([]);
  expect(await lint({ ...OPENAPI_DOCUMENT, servers: "/" })).toHaveLength(1);
});

test.runIf(OPENAPI_TYPESCRIPT)("a client generated from the document compiles, and reads pages", async () => {
  const [cwd, packages] = [createFolder(), join(OPENAPI_TYPESCRIPT, "node_modules")];
  symlinkSync(packages, join(cwd, "node_modules"));
  writeFileSync(join(cwd, "package.json"), '{"type": "module"}');
  writeFileSync(join(cwd, "openapi.json"), JSON.stringify(OPENAPI_DOCUMENT));
  const { fetch } = await createMemoryService(EXAMPLE_RECORDS.toReversed());
  const server = await listen(async (request) => toReply(await fetch(request.url)), { port: 0 });
  writeFileSync(join(cwd, "client.ts"), createClientCode(server.url));
  const run = async (script: string, ...args: string[]) =>
    (await promisify(execFile)(process.execPath, [script, ...args], { cwd })).stdout;
  await run(join(packages, "openapi-typescript/bin/cli.js"), "openapi.json", "--output", "types.ts");
  const options = "--strict --skipLibCheck --module nodenext --target es2022".split(" ");
  await run(join(packages, "typescript/bin/tsc"), ...options, "client.ts");
  const printed = JSON.parse(await run("client.js"));
  await server.close();
  const lastPage = EXAMPLE_RECORDS.slice(15);
  const health = lastPage.map(({ camera_ok }) => camera_ok);
  expect(printed).toEqual({ health, next: null, detail: "Invalid page.", id: lastPage[0]!.id });
});
