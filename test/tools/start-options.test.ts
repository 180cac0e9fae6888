import { resolve } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { experimental_getWranglerCommands as getWranglerCommands } from "wrangler";
import { LIST_OPTIONS, PATH_OPTIONS, parseStartOptions, REFUSED_OPTIONS } from "../../tools/start-options.ts";

afterEach(() => vi.unstubAllEnvs());

const parse = (args: string) => parseStartOptions(args.split(" "));

// Wrangler accepts each name in two spellings.
test.each([
  ["--env-file .npmrc", "does not support --env-file"],
  ["--envFile=.npmrc", "does not support --env-file"],
  ["-e other", "does not support --env"],
  ["--host 0.0.0.0", "use --ip 0.0.0.0"],
  ["--persist-to", "--persist-to needs one path"],
  ["--persistTo", "--persist-to needs one path"],
  ["--config a.toml -c b.toml", "--config needs one path"],
  ["9000", '"9000" follows no option. npm takes .*: npm start -- --port 9000'],
  ["STORE:kv", '"STORE:kv" follows no option'],
  ["--port 9000 STORE:kv", '"STORE:kv" follows no option'],
  ["--port=9000 STORE:kv", '"STORE:kv" follows no option'],
  ["--persist-to state STORE:kv", '"STORE:kv" follows no option'],
])("npm start refuses %s", (args, reason) => expect(() => parse(args)).toThrow(new RegExp(reason)));

test.each(["port", "persist_to"])("npm start refuses an option that npm has taken: %s", (name) => {
  vi.stubEnv(`npm_config_${name}`, "true");
  expect(() => parse("9000")).toThrow(/^--(port|persist-to) did not arrive: .* npm start -- --port 9000$/);
});

test("npm start sets the variables of wrangler", () => {
  const { vars } = parse("--var PREFER:rate=2:1 FAULTS:on --port 0 --var=STORE:kv FAULTS:off");
  expect(vars).toStrictEqual({ PREFER: "rate=2:1", FAULTS: "off", STORE: "kv" });
});

test("npm start passes all arguments to wrangler, with absolute paths", () => {
  const args = "--persistTo state -c own.toml --https-key-path=key.pem --port 0 --live-reload --var A:b C:d";
  const { config, persistTo, wranglerArgs } = parse(args);
  expect([config, persistTo]).toEqual([resolve("own.toml"), resolve("state")]);
  expect(wranglerArgs.join(" ")).toBe(
    `--persist-to=${persistTo} --config=${config} --https-key-path=${resolve("key.pem")} --port 0 --live-reload --var A:b C:d`,
  );
});

test("each option of wrangler dev with a path, or with a list, is known", () => {
  const { registry, globalFlags } = getWranglerCommands();
  const command = registry.subtree.get("dev")?.definition;
  if (command?.type !== "command") throw new Error("wrangler has no command dev");
  const { args = {}, positionalArgs = [] } = command;
  const all: Record<string, { hidden?: boolean; array?: boolean; describe?: string }> = {
    ...args,
    ...globalFlags,
  };
  const isPassed = (name: string) => !positionalArgs.includes(name) && !REFUSED_OPTIONS.has(name);
  const options = Object.entries(all).filter(([name, { hidden }]) => !hidden && isPassed(name));
  const lists = options.filter(([, { array }]) => array);
  const others = options.filter(([, { array }]) => !array);
  expect(lists.map(([name]) => name).sort()).toEqual(LIST_OPTIONS);
  const hasPath = /\bpath\b|directory|folder|static assets/i;
  const paths = others.filter(([, { describe = "" }]) => hasPath.test(describe));
  expect(paths.map(([name]) => name).sort()).toEqual(PATH_OPTIONS);
});
