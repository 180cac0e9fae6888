import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { PROJECT } from "../../../data/stores/wrangler.ts";
import { createFolder } from "../../temporary-folder.ts";

/** The result of a script. */
interface Result {
  status: number;
  /** The arguments of its `gh` calls, one line for each call. */
  calls: string[];
  /** The outputs that the script set for later jobs. */
  output: string;
}

/**
 * Runs a script as a step of a workflow, with a stub of gh.
 * @param commands the shell commands that the stub of gh runs
 */
async function run(args: string[], commands: string, env: Record<string, string> = {}): Promise<Result> {
  const folder = createFolder();
  const gh = ["#!/bin/sh", `echo "$@" >> ${folder}/calls`, commands];
  await writeFile(join(folder, "gh"), `${gh.join("\n")}\n`, { mode: 0o755 });
  await Promise.all(["calls", "output"].map((name) => writeFile(join(folder, name), "")));
  const child = spawn("bash", ["-e", ...args], {
    cwd: PROJECT,
    env: {
      PATH: `${folder}:${process.env.PATH}`,
      GITHUB_REPOSITORY: "owner/name",
      GITHUB_REPOSITORY_OWNER: "owner",
      GITHUB_OUTPUT: join(folder, "output"),
      GH_TOKEN: "token",
      ...env,
    },
  });
  const [status] = await once(child, "close");
  const calls = await readFile(join(folder, "calls"), "utf8");
  const output = await readFile(join(folder, "output"), "utf8");
  return { status, calls: calls.split("\n").slice(0, -1), output };
}

describe("the comment on a pull request", () => {
  const BODY = ["--raw-field body=<!-- preview -->", "Preview of abc: https://x.example"];
  const comment = (ids: string, ...rest: string[]) =>
    run(
      [".github/comment.sh", "7", "Preview of abc: https://x.example", ...rest],
      `case "$*" in *--paginate*) printf '${ids}';; esac`,
    );

  test("is created if the pull request has no such comment", async () => {
    const { status, calls } = await comment("");
    const [list, ...rest] = calls;
    expect(status).toBe(0);
    expect(list).toMatch(
      /^api --paginate repos\/owner\/name\/issues\/7\/comments --jq .*github-actions\[bot\]/,
    );
    expect(rest).toEqual([
      `api --silent --method POST repos/owner/name/issues/7/comments ${BODY[0]}`,
      BODY[1],
    ]);
  });

  test.each([[[]], [["--update-only"]]])("is updated if it exists, with the options %j", async (options) => {
    const { status, calls } = await comment("11\\n12\\n", ...options);
    expect([status, ...calls.slice(1)]).toEqual([
      0,
      `api --silent --method PATCH repos/owner/name/issues/comments/11 ${BODY[0]}`,
      BODY[1],
    ]);
  });

  test("is not created with --update-only", async () => {
    const { status, calls } = await comment("", "--update-only");
    expect([status, calls.length]).toEqual([0, 1]);
  });
});

describe("the workflow of a pull request", () => {
  const { jobs } = parse(readFileSync(join(PROJECT, ".github/workflows/pull-request.yml"), "utf8"));

  test("counts the other open pull requests of the branch before it removes the preview", async () => {
    const [{ run: script }] = jobs["count-pull-requests"].steps;
    const { status, calls, output } = await run(["-c", script], "echo 1", { BRANCH: "feature/login" });
    expect([status, output]).toEqual([0, "open=1\n"]);
    expect(calls).toEqual([
      "api --method GET repos/owner/name/pulls -f state=open -f head=owner:feature/login --jq length",
    ]);
    expect(jobs.remove.needs).toContain("count-pull-requests");
    expect(jobs.remove.if).toContain("needs.count-pull-requests.outputs.open == '0'");
  });

  test("does not remove the preview if it cannot count the pull requests", async () => {
    const [{ run: script }] = jobs["count-pull-requests"].steps;
    const { status, output } = await run(["-c", script], "exit 1", { BRANCH: "feature/login" });
    expect([status, output]).toEqual([1, ""]);
  });

  test.each([
    ["https://x.example", "success", "Preview of abc: https://x.example"],
    ["https://x.example", "failure", "Preview of abc: https://x.example, but its checks failed: RUN"],
    ["", "failure", "Deploying the preview of abc failed: RUN"],
  ])("with the address %j and the outcome %s writes the comment: %s", async (address, OUTCOME, text) => {
    const script: string = jobs.preview.steps.at(-1).run;
    const file = join(createFolder(), "address.txt");
    await writeFile(file, address);
    const env = { COMMIT: "abc", NUMBER: "7", RUN: "RUN", OUTCOME };
    const { status, calls } = await run(["-c", script.replaceAll("address.txt", file)], "", env);
    expect([status, calls.at(-1)]).toEqual([0, text]);
  });
});
