import { describe, expect, test } from "vitest";
import { createTarget, parseAddress } from "../../../tools/deploy/target.ts";

const ratelimits = [{ name: "RATE_LIMITER", namespace_id: "1", simple: { limit: 100, period: 10 as const } }];

describe.each([
  ["production", undefined],
  ["a preview", "login"],
])("the settings of %s", (_, preview) => {
  const configure = (vars: Record<string, string>) => {
    const settings = { vars: { STORE: "d1", ...vars }, ratelimits };
    const others = { vars: { STORE: "d1" }, ratelimits };
    return preview === undefined
      ? { name: "counts", ...settings, previews: others }
      : { name: "counts", ...others, previews: settings };
  };

  test.each([
    [{}, undefined],
    [{ PUBLIC_ORIGIN: "" }, undefined],
    [{ PUBLIC_ORIGIN: "https://counts.example" }, "https://counts.example"],
    [{ PUBLIC_ORIGIN: "http://counts.example:8080/" }, "http://counts.example:8080"],
    [{ RATE_LIMIT: "10" }, undefined],
    [{ STORE: "kv" }, undefined],
  ])("%j are valid, with the address %s", (vars, address) =>
    expect(createTarget(configure(vars), "", preview).address).toBe(address),
  );

  test.each([
    [{ PUBLIC_ORIGIN: "counts.example" }, 'PUBLIC_ORIGIN in wrangler.toml is "counts.example"'],
    [{ PUBLIC_ORIGIN: "ftp://counts.example" }, "It must be a URL without a path"],
    [{ PUBLIC_ORIGIN: "https://counts.example/api" }, "It must be a URL without a path"],
    [{ RATE_LIMIT: "60" }, 'RATE_LIMIT is "60", but [[ratelimits]] in wrangler.toml'],
    [{ STORE: "files" }, 'STORE is "files"'],
  ])("%j are refused", (vars, problem) =>
    expect(() => createTarget(configure(vars), "", preview)).toThrow(problem),
  );
});

test("the worker must have a name", () =>
  expect(() => createTarget({ vars: { STORE: "d1" } }, "")).toThrow(
    "wrangler.toml does not name the worker",
  ));

test("the address that a user names must have no path either", () =>
  expect(() => parseAddress("counts.example", "--url")).toThrow(
    '--url is "counts.example". It must be a URL',
  ));
