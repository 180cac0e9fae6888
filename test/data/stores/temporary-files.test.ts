import { afterEach, expect, test, vi } from "vitest";
import { openTemporaryFile } from "../../../data/stores/temporary-files.ts";

afterEach(() => vi.unstubAllEnvs());

test("a missing folder for temporary files is reported in one sentence", () => {
  vi.stubEnv("TMPDIR", "/missing");
  expect(() => openTemporaryFile("statements.sql")).toThrow(
    /^The folder for temporary files, \/missing, cannot be used: it does not exist$/,
  );
});
