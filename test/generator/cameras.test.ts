import { describe, expect, test } from "vitest";
import { createCameras } from "../../src/generator/cameras.ts";

describe("createCameras", () => {
  test("gives each camera its own camera_ref and camera_pk", () => {
    const all = createCameras(5000, 1);
    expect(new Set(all.map(({ camera_ref }) => camera_ref)).size).toBe(5000);
    expect(all.map(({ camera_pk }) => camera_pk)).toEqual(Array.from({ length: 5000 }, (_, i) => i + 1));
  });

  test("returns the same first cameras for a larger count, and the same camera_refs for any random seed", () => {
    expect(createCameras(300, 1).slice(0, 86)).toEqual(createCameras(86, 1));
    const refs = (seed: number) => createCameras(86, seed).map(({ camera_ref }) => camera_ref);
    expect(refs(2)).toEqual(refs(1));
    expect(refs(1)).toEqual(expect.arrayContaining(["pd1p1", "pd1p4"]));
  });
});
