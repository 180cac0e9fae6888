import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { makeRecords } from "../../support/sample-records.ts";
import { importPackage } from "./built-package.ts";

const { createService } = await importPackage();
const service = createService({ records: makeRecords(100) });
const read = async () =>
  (await service.fetch("https://counts.example/api/tf1/records/?prefer=next=loop")).json();

describe("a client in the same process", () => {
  test("that never ends lets timers run, even if its test replaces them", async () => {
    vi.useFakeTimers({ toFake: ["setImmediate"] });
    onTestFinished(() => void vi.useRealTimers());
    const signal = AbortSignal.timeout(1);
    for (let count = 0; count < 10_000 && !signal.aborted; count++) await read();
    expect(signal.aborted).toBe(true);
  });

  test("that reads a few pages needs no turn of the event loop, so fake timers are enough", async () => {
    await setImmediate();
    const turn = vi.fn();
    void setImmediate().then(turn);
    for (let count = 0; count < 50; count++) await read();
    expect(turn).not.toHaveBeenCalled();
  });
});
