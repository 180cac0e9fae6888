import { expect, test } from "vitest";
import { describeFileError } from "../../tools/messages.ts";

test.each([
  [{ errcode: 13 }, "the disk is full"],
  [{ errcode: 4874 }, "the disk is full"],
  [{ errcode: 11 }, "it is damaged"],
  [{ errcode: 26 }, "it is damaged"],
  [{ code: "ENOSPC" }, "the disk is full"],
  [{ code: "EACCES" }, "permission denied"],
  [{ code: "EUNKNOWN" }, "what the system says"],
])("an error with %j says why a file cannot be used: %s", (codes, reason) => {
  const error = Object.assign(new Error("what the system says"), codes);
  expect(describeFileError(error)).toContain(reason);
});
