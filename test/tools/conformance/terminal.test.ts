import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { runInTerminal } from "../command-line/terminal.ts";
import { makeCollection, PATH, startService } from "./service.ts";

test("on a terminal a notice is a line of its own, and no bar is left", async () => {
  const service = await startService(makeCollection(150));
  service.reply = async (reply, { page, index }) => {
    await setTimeout(50); // So that the bar is drawn in between.
    if (page !== "3" || index > 2) return reply;
    return { ...reply, status: 503, headers: { "Retry-After": "2" } };
  };
  const { lines, ...left } = await runInTerminal(
    `NO_COLOR=1 ${process.execPath} tools/conformance/cli.ts ${service.origin} --read-only`,
  );
  await service.close();
  expect(left).toEqual({ cursorShown: true, wraps: true });
  const page = `${service.origin}${PATH}?format=api&page=3`;
  expect(lines.slice(0, 2)).toEqual([`${page} returned 503. Attempt 2 starts in 2 s.`, "Record"]);
});
