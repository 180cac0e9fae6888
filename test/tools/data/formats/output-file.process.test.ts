import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, createReadStream, existsSync, openSync, writeSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { writeOutput } from "../../../../tools/data/formats/output-file.ts";
import { createFolder } from "../../../support/temporary-folder.ts";

let folder: string;
beforeEach(() => {
  folder = createFolder();
});

async function* lines(count = 2): AsyncGenerator<string> {
  for (let line = 1; line <= count; line++) yield `${line}\n`;
}

const path = (name: string) => join(folder, name);

const read = (name: string) => readFile(path(name), "utf8");

describe("a file", () => {
  test("is replaced only when the text is complete, and no other file is touched", async () => {
    await Promise.all(["out", "out.part"].map((name) => writeFile(path(name), name)));
    await chmod(path("out"), 0o664);
    const umask = process.umask(0o077);
    const slow = async function* () {
      yield* lines(100_000);
      expect(await read("out")).toBe("out");
      expect(await readdir(folder)).toHaveLength(3);
    };
    await writeOutput(path("out"), slow()).finally(() => process.umask(umask));
    expect(await read("out")).toMatch(/^1\n2\n.*\n100000\n$/s);
    expect(await read("out.part")).toBe("out.part");
    expect((await readdir(folder)).sort()).toEqual(["out", "out.part"]);
    expect((await stat(path("out"))).mode & 0o777).toBe(0o664);
  });

  test.each(["out.gz", "OUT.GZ"])("named %s is compressed", async (name) => {
    await writeOutput(path(name), lines());
    expect(gunzipSync(await readFile(path(name))).toString()).toBe("1\n2\n");
  });

  test("behind a symbolic link is replaced, and the link stays", async () => {
    await mkdir(path("deep"));
    await symlink("deep/file", path("link"));
    await writeFile(path("deep/file"), "old");
    await writeOutput(path("link"), lines());
    expect(await read("deep/file")).toBe("1\n2\n");
    expect(await readlink(path("link"))).toBe("deep/file");
    expect(await readdir(path("deep"))).toEqual(["file"]);
  });

  test("stays unchanged if the text throws, and the error is not changed", async () => {
    await writeFile(path("out"), "old");
    const failing = async function* () {
      yield* lines(20_000);
      throw new RangeError("out of range");
    };
    await expect(writeOutput(path("out"), failing())).rejects.toThrow(new RangeError("out of range"));
    expect(await read("out")).toBe("old");
    expect(await readdir(folder)).toEqual(["out"]);
  });
});

test.each(["/dev/fd/", "link/", "link"])(
  "an open file is written, not replaced, and stays open: %s",
  async (name) => {
    const file = openSync(path("log"), "a");
    writeSync(file, "before\n");
    await symlink(name === "link" ? `/dev/fd/${file}` : "/dev/fd", path("link"));
    await writeOutput(name === "link" ? path(name) : `${resolve(folder, name)}/${file}`, lines());
    writeSync(file, "after\n");
    closeSync(file);
    expect(await read("log")).toBe("before\n1\n2\nafter\n");
  },
);

describe("a named pipe", () => {
  beforeEach(() => void execFileSync("mkfifo", [path("pipe")]));

  test.each(["pipe", "link"])("receives the text of %s, and stays in place", async (name) => {
    await symlink("pipe", path("link"));
    const [received] = await Promise.all([read("pipe"), writeOutput(path(name), lines())]);
    expect(received).toBe("1\n2\n");
    expect((await lstat(path("pipe"))).isFIFO()).toBe(true);
    expect((await readdir(folder)).sort()).toEqual(["link", "pipe"]);
  });

  test("whose reader stops early ends the output without an error", async () => {
    const reader = createReadStream(path("pipe"));
    const writing = writeOutput(path("pipe"), lines(1_000_000));
    await once(reader, "data");
    reader.destroy();
    await writing;
  });
});

test("a signal ends a command without an incomplete file", async () => {
  const command = ["tools/data/data-command.ts", "generate", "--records", "100000000", "--out", path("out")];
  const child = spawn(process.execPath, command, { stdio: "ignore" });
  await expect.poll(() => readdir(folder)).toHaveLength(1);
  child.kill();
  expect(await once(child, "close")).toEqual([143, null]);
  expect(await readdir(folder)).toEqual([]);
});

// biome-ignore format: a table of cases
test.each([
  ["a directory is reported before the text is read", "", "it is a directory", 0],
  ["a missing folder is reported, even while the text is being generated", "no/out", "its folder does not exist", 1],
])("%s", async (_, name, reason, reads) => {
  const onRead = vi.fn();
  const slow = async function* () {
    onRead();
    await setTimeout(100);
    yield* lines();
  };
  const message = `${path(name)} cannot be written: ${reason}`;
  await expect(writeOutput(path(name), slow())).rejects.toThrow(message);
  expect(onRead).toHaveBeenCalledTimes(reads);
  expect(await readdir(folder)).toEqual([]);
});

// macOS has no such file.
test.runIf(existsSync("/dev/full")).each([1, 100_000])("a full disk is reported: %i lines", async (count) => {
  const message = "/dev/full cannot be written: the disk is full";
  await expect(writeOutput("/dev/full", lines(count))).rejects.toThrow(message);
});
