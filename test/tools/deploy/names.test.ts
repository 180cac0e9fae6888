import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPreviewName } from "../../../tools/deploy/names.ts";

const WORKER = "traffic-count-records";

describe("the name of a branch's preview", () => {
  test.each([
    ["main", "main"],
    ["feature-login", "feature-login"],
    ["2026", "2026"],
    ["feature/login", "feature-login-df7c7a"],
    ["feature/Füß_1", "feature-f-1-aa3c23"],
    ["Main", "main-eb814b"],
    ["-a-", "a-a75a46"],
    ["日本", "cf2abf"],
    ["dependabot/npm_and_yarn/workers-types-5.20261117.1", "dependabot-npm-and-58d26f"],
    ["cf2abf", "cf2abf-62c12e"],
    ["login-abc123", "login-abc123-502955"],
  ])("%s -> %s", (branch, name) => expect(createPreviewName(branch, WORKER)).toBe(name));

  test("contains only a-z, digits and single hyphens, and fits into 63 characters with the worker's name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (branch) => {
        if (branch.trim() === "") {
          expect(() => createPreviewName(branch, WORKER)).toThrow();
          return;
        }
        const name = createPreviewName(branch, WORKER);
        expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(`${name}-${WORKER}`.length).toBeLessThanOrEqual(63);
        expect(`${WORKER}-preview-77df07-${name}`.length).toBeLessThanOrEqual(63);
        expect(createPreviewName(branch, WORKER), "always the same").toBe(name);
      }),
    );
  });

  test("differs for different branches", () => {
    const parts = fc.constantFrom("a", "A", "/", "-", "1", "login", "df7c7a", "long-".repeat(8));
    const branch = fc.array(parts, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(branch, branch, (one, other) => {
        fc.pre(one !== other);
        expect(createPreviewName(one, WORKER)).not.toBe(createPreviewName(other, WORKER));
      }),
    );
  });

  test.each(["", " "])("cannot be made from %j", (branch) => {
    expect(() => createPreviewName(branch, WORKER)).toThrow("The branch has no name.");
  });

  test("cannot be made if the worker's name is too long", () => {
    expect(() => createPreviewName("main", "w".repeat(50))).toThrow(/is too long for previews/);
  });
});
