import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ownName, previewName } from "../../../tools/deploy/name.ts";

const WORKER = "traffic-count-records";

describe("the name of a branch's preview", () => {
  test.each([
    ["main", "main"],
    ["feature-login", "feature-login"],
    ["2026", "2026"],
    ["feature/login", "feature-login-df7c7a"],
    ["feature/Füß_1", "feature-fuss-1-aa3c23"],
    ["Main", "main-eb814b"],
    ["-a-", "a-a75a46"],
    ["日本", "cf2abf"],
    ["dependabot/npm_and_yarn/workers-types-5.20261117.1", "dependabot-npm-and-yarn-wo-58d26f"],
    ["cf2abf", "cf2abf-62c12e"],
    ["login-abc123", "login-abc123-502955"],
  ])("%s -> %s", (branch, name) => expect(previewName(branch, WORKER)).toBe(name));

  test("stays below 63 characters together with the worker's name, of a to z, digits and hyphens", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (branch) => {
        if (branch.trim() === "") {
          expect(() => previewName(branch, WORKER)).toThrow();
          return;
        }
        const name = previewName(branch, WORKER);
        expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(`${name}-${WORKER}`.length).toBeLessThanOrEqual(63);
        expect(ownName(WORKER, name).length).toBeLessThanOrEqual(63);
        expect(previewName(branch, WORKER), "each time").toBe(name);
      }),
    );
  });

  test("is another for another branch", () => {
    const parts = fc.constantFrom("a", "A", "ä", "/", "-", "_", "1", "login", "long-".repeat(8));
    const branch = fc.array(parts, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(branch, branch, (one, other) => {
        fc.pre(one !== other);
        expect(previewName(one, WORKER)).not.toBe(previewName(other, WORKER));
      }),
    );
  });

  test("of one that reads like a name with a hash has a hash as well", () => {
    const lossy = previewName("feature/login", WORKER);
    expect(previewName(lossy, WORKER)).not.toBe(lossy);
  });

  test.each(["", " "])("of a branch without a name, %j, is none", (branch) => {
    expect(() => previewName(branch, WORKER)).toThrow("The branch has no name.");
  });

  test("leaves a worker's name that is too long no room", () => {
    expect(() => previewName("main", "w".repeat(50))).toThrow(/is too long for previews/);
  });
});
