import { describe, expect, test } from "vitest";
import { findPlace, requireSettings } from "../../../tools/deploy/place.ts";

const settings = (vars: Record<string, string>) => ({
  vars: { STORE: "d1", ...vars },
  ratelimits: [{ name: "RATE_LIMITER", namespace_id: "1", simple: { limit: 100, period: 10 as const } }],
});

describe.each<[string, string | undefined]>([
  ["production", undefined],
  ["a preview", "login"],
])("the settings of %s", (_, preview) => {
  const configure = (vars: Record<string, string>) => ({
    name: "counts",
    ...settings(preview === undefined ? vars : {}),
    previews: settings(preview === undefined ? {} : vars),
  });

  test.each([
    [{}, undefined],
    [{ PUBLIC_ORIGIN: "" }, undefined],
    [{ PUBLIC_ORIGIN: "https://counts.example" }, "https://counts.example"],
    [{ PUBLIC_ORIGIN: "http://counts.example:8080/" }, "http://counts.example:8080"],
    [{ RATE_LIMIT: "10" }, undefined],
  ])("may be %j, and the address is %s", (vars, origin) => {
    expect(() => requireSettings(configure(vars), preview)).not.toThrow();
    expect(findPlace(configure(vars), preview).origin).toBe(origin);
  });

  test.each([
    [{ PUBLIC_ORIGIN: "counts.example" }, 'PUBLIC_ORIGIN is "counts.example"; it must be such as'],
    [{ PUBLIC_ORIGIN: "ftp://counts.example" }, "it must be such as"],
    [{ PUBLIC_ORIGIN: "https://counts.example/api" }, "it must be such as"],
    [
      { RATE_LIMIT: "60" },
      'RATE_LIMIT is "60", but [[ratelimits]] in wrangler.toml counts in periods of 10 s',
    ],
  ])(
    "are refused before anything is made if they are %j, but do not keep from going back",
    (vars, problem) => {
      expect(() => requireSettings(configure(vars), preview)).toThrow(problem);
      expect(findPlace(configure(vars), preview)).toMatchObject({ worker: "counts", origin: undefined });
    },
  );
});
