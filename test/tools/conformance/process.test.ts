import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { listen } from "../../listen.ts";
import { finish } from "../../run-command.ts";

test("a signal ends the check, and the report covers what was seen until then", async () => {
  const server = createServer((request, response) => {
    if (request.url?.endsWith("page=2")) child.kill("SIGINT");
    else response.end('{"count":30,"next":null,"previous":null,"results":[{"id":1}]}');
  });
  const { origin, close } = await listen(server);
  const child = spawn(process.execPath, ["tools/conformance/cli.ts", origin], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { status, stdout } = await finish(child);
  await close();
  expect(status).toBe(130);
  expect(stdout).toMatch(/^fail .*\n(.*\n)*The check ended early: interrupted by SIGINT\n\d+ pass, /);
});
