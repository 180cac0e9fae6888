import { describe, expect, test } from "vitest";
import { cameras } from "../../src/generator/cameras.ts";

describe("cameras", () => {
  test("have references of their own, however many there are", () => {
    const all = cameras(5000, 1);
    expect(new Set(all.map(({ camera_ref }) => camera_ref)).size).toBe(5000);
    expect(all.map(({ camera_pk }) => camera_pk)).toEqual(Array.from({ length: 5000 }, (_, i) => i + 1));
  });

  test("stay as they are when there are more, and keep their references under another seed number", () => {
    expect(cameras(300, 1).slice(0, 86)).toEqual(cameras(86, 1));
    const refs = (seed: number) => cameras(86, seed).map(({ camera_ref }) => camera_ref);
    expect(refs(2)).toEqual(refs(1));
    expect(refs(1)).toEqual(expect.arrayContaining(["pd1p1", "pd1p4"]));
  });
});
