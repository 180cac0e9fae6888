import { expect, test } from "vitest";
import { createCameras } from "../../../data/generator/cameras.ts";

test("each camera has its own camera_ref and camera_pk", () => {
  const all = createCameras(5_000, 1);
  expect(new Set(all.map(({ camera_ref }) => camera_ref)).size).toBe(5_000);
  expect(all.map(({ camera_pk }) => camera_pk)).toEqual(Array.from({ length: 5_000 }, (_, i) => i + 1));
});

test("the first cameras are the same for a larger count, and camera_refs are the same for any random seed", () => {
  expect(createCameras(300, 1).slice(0, 86)).toEqual(createCameras(86, 1));
  const refs = (seed: number) => createCameras(86, seed).map(({ camera_ref }) => camera_ref);
  expect(refs(2)).toEqual(refs(1));
});
