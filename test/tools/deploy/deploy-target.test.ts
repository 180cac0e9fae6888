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
    [{ STORE: "kv", GROW: "off" }, undefined],
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
    [
      { STORE: "kv", GROW: "on" },
      'GROW is "on" and STORE is "kv" in wrangler.toml, but KV takes loads only.',
    ],
    [{ RATE_LIMIT: "60" }, 'RATE_LIMIT is "60", but [[ratelimits]] in wrangler.toml'],
  ])("%j are invalid for a deployment, but valid for a rollback", (vars, problem) => {
    expect(() => requireSettings(configure(vars), preview)).toThrow(problem);
    expect(createTarget(configure(vars), preview)).toMatchObject({ worker: "counts", origin: undefined });
  });
});

test.each([
  ["6f1c2a34-0000-4000-8000-000000000001", true],
  ["0123456789abcdef0123456789abcdef", true],
  ["00000000-0000-0000-0000-000000000000", false],
  ["00000000000000000000000000000000", false],
  ["<YOUR_DATABASE_ID>", false],
  ["placeholder", false],
  ["", false],
])("whether the id %j in wrangler.toml is used: %s", (id, isUsed) => {
  const { database, namespace } = createTarget(
    {
      name: "counts",
      vars: { STORE: "d1" },
      d1_databases: [{ binding: "DB", database_id: id }],
      kv_namespaces: [{ binding: "KV", id }],
    },
    undefined,
  );
  expect([database.id, namespace.id]).toEqual(isUsed ? [id, id] : [undefined, undefined]);
});
