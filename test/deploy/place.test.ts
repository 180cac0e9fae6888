import { expect, test } from "vitest";
import { findPlace } from "../../deploy/place.ts";

const configure = (vars: Record<string, string>) => ({ name: "counts", vars: { STORE: "d1", ...vars } });

test.each([
  [{}, undefined],
  [{ PUBLIC_ORIGIN: "" }, undefined],
  [{ PUBLIC_ORIGIN: "https://counts.example" }, "https://counts.example"],
  [{ PUBLIC_ORIGIN: "http://counts.example:8080/" }, "http://counts.example:8080"],
])("with the variables %j the address is %s", (vars, origin) =>
  expect(findPlace(configure(vars), undefined).origin).toBe(origin),
);

test.each(["counts.example", "ftp://counts.example", "https://counts.example/api"])(
  "PUBLIC_ORIGIN %s is refused before anything is made",
  (PUBLIC_ORIGIN) =>
    expect(() => findPlace(configure({ PUBLIC_ORIGIN }), undefined)).toThrow(
      `PUBLIC_ORIGIN is "${PUBLIC_ORIGIN}"; it must be such as`,
    ),
);
