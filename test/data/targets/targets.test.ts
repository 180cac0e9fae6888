import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chooseStore, readVariables } from "../../../data/targets/targets.ts";

let folder: string;
let config: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "targets-test-"));
  config = join(folder, "other.json");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const configure = (vars: Record<string, string>) =>
  writeFile(config, JSON.stringify({ name: "other", vars }));

test("the store is that of the command, of the configuration that it names, or of wrangler.toml", async () => {
  await configure({ STORE: "kv", PUBLIC_ORIGIN: "https://other.test" });
  expect(await chooseStore({})).toBe("d1");
  expect(await chooseStore({ config })).toBe("kv");
  expect(await chooseStore({ config: relative(".", config) })).toBe("kv");
  expect(await chooseStore({ config, store: "d1" })).toBe("d1");
  expect(await readVariables(config)).toMatchObject({ PUBLIC_ORIGIN: "https://other.test" });
});

test.each<[Record<string, string>, string]>([
  [{}, "STORE is undefined"],
  [{ STORE: "r2" }, 'STORE is "r2"'],
])("a configuration with %j is refused", async (vars, message) => {
  await configure(vars);
  await expect(chooseStore({ config })).rejects.toThrow(`${message} in ${config}; it must be "d1" or "kv"`);
});

test("a configuration that is not there is named", async () => {
  const config = join(folder, "none.toml");
  await expect(chooseStore({ config })).rejects.toThrow(config);
});
