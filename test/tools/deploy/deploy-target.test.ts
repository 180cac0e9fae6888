import { describe, expect, test } from "vitest";
import { createTarget, requireSettings } from "../../../tools/deploy/deploy-target.ts";

const createSettings = (vars: Record<string, string>) => ({
  vars: { STORE: "d1", ...vars },
  ratelimits: [{ name: "RATE_LIMITER", namespace_id: "1", simple: { limit: 100, period: 10 as const } }],
});

describe.each<[string, string | undefined]>([
  ["production", undefined],
  ["a preview", "login"],
])("the settings of %s", (_, preview) => {
  const configure = (vars: Record<string, string>) => ({
    name: "counts",
    ...createSettings(preview === undefined ? vars : {}),
    previews: createSettings(preview === undefined ? {} : vars),
  });

  test.each([
    [{}, undefined],
    [{ PUBLIC_ORIGIN: "" }, undefined],
    [{ PUBLIC_ORIGIN: "https://counts.example" }, "https://counts.example"],
    [{ PUBLIC_ORIGIN: "http://counts.example:8080/" }, "http://counts.example:8080"],
    [{ RATE_LIMIT: "10" }, undefined],
  ])("%j are valid, with the origin %s", (vars, origin) => {
    expect(() => requireSettings(configure(vars), preview)).not.toThrow();
    expect(createTarget(configure(vars), preview).origin).toBe(origin);
  });

  test.each([
    [
      { PUBLIC_ORIGIN: "counts.example" },
      'PUBLIC_ORIGIN in wrangler.toml is "counts.example". It must be a URL without a path',
    ],
    [{ PUBLIC_ORIGIN: "ftp://counts.example" }, "It must be a URL without a path"],
    [{ PUBLIC_ORIGIN: "https://counts.example/api" }, "It must be a URL without a path"],
    [{ RATE_LIMIT: "60" }, 'RATE_LIMIT is "60", but [[ratelimits]] in wrangler.toml'],
  ])("%j are invalid for a deployment, but valid for a rollback", (vars, problem) => {
    expect(() => requireSettings(configure(vars), preview)).toThrow(problem);
    expect(createTarget(configure(vars), preview)).toMatchObject({ worker: "counts", origin: undefined });
  });
});
