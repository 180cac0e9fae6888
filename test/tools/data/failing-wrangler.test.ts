import { readFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { loadFiles, undo } from "../../../tools/data/load.ts";
import { applyMigrations } from "../../../tools/data/stores/local-stores.ts";
import { openRemoteStore } from "../../../tools/data/stores/remote-stores.ts";
import type { ProcessResult, WranglerRunner } from "../../../tools/wrangler.ts";
import { readAll } from "../../support/reader.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { executeStatement, useRemoteConfiguration } from "./remote-configuration.ts";

// In these tests, a function replaces wrangler.

const { config, writeRecords } = useRemoteConfiguration();

const SWITCH = "REPLACE INTO snapshot";
const SWITCH_BACK = "UPDATE OR REPLACE snapshot";

/** The command in the message uses the same store, and can be copied to a shell. */
const UNKNOWN =
  /\nTo see which .*: npm run data -- info --remote --store d1 --config '\/.*\/fetch failed\.toml'$/;

/** What was printed, without notices of slow commands: the fake clock runs ahead of commands. */
function listPrinted() {
  const { calls } = vi.mocked(console.error).mock;
  return calls.flat().filter((line) => !/^Still/.test(line));
}

test("a load into a namespace that never shows the new snapshot reports that, and shows no progress while it waits", async () => {
  const timers = ["setTimeout", "clearTimeout"] as const;
  vi.useFakeTimers({ toFake: ["Date", ...timers] }).setTimerTickMode("nextTimerAsync");
  const stored: { name: string }[] = [];
  const wrangler: WranglerRunner = async ([, , command, file = ""]) => {
    const pairs = command === "put" ? JSON.parse(await readFile(file, "utf8")) : [];
    for (const { key } of pairs) stored.push({ name: key });
    return { status: 0, stdout: JSON.stringify(command === "list" ? stored : {}), stderr: "" };
  };
  const loading = loadFiles(writeRecords(30), { store: "kv", remote: true, config, wrangler });
  const message = /^The namespace does not show the new snapshot\.\n.* info --remote --store kv --config /;
  await expect(loading).rejects.toThrow(message);
  vi.useRealTimers();
  const wait = expect.stringMatching(/^Waiting 70 seconds /);
  const printed = listPrinted();
  expect(printed.slice(printed.findIndex((line) => /^Waiting/.test(line)))).toEqual([wait, wait]);
});

const OUTPUTS = ["An update is available.", '[{"key":"a"}]'];

test.each(OUTPUTS)("a load shows a command whose output is not the expected JSON: %s", async (stdout) => {
  const wrangler: WranglerRunner = async () => ({ status: 0, stdout: `${stdout}\n`, stderr: "" });
  const loading = loadFiles(writeRecords(30), { store: "kv", remote: true, config, wrangler });
  await expect(loading).rejects.toThrow(/^wrangler kv bulk get .*:\n/);
  await expect(loading).rejects.toThrow(stdout);
});

describe("a load", () => {
  let sqlite: DatabaseSync;
  beforeEach(async () => {
    sqlite = new DatabaseSync(":memory:");
    await applyMigrations(sqlite);
    // No test waits for the pauses between attempts.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }).setTimerTickMode("nextTimerAsync");
  });

  /** Executes the SQL of a wrangler command. */
  function execute(sql: string, isFile: boolean): ProcessResult {
    if (isFile) sqlite.exec(`BEGIN; ${sql}; COMMIT`);
    const stdout = isFile ? "" : JSON.stringify([executeStatement(sqlite, sql)]);
    return { status: 0, stdout, stderr: "" };
  }

  /** The errors of successive commands, from the first command that contains `since`. With an empty string, a command succeeds. */
  interface Failures {
    since: string;
    errors: string[];
    /** Whether commands succeed, and only their responses are lost. */
    isLost?: boolean;
  }

  /** Returns the deployed database, whose commands fail as given. */
  function connect({ since, errors, isLost = false }: Failures = { since: "", errors: [] }) {
    let left: string[] | undefined;
    const wrangler: WranglerRunner = async (args) => {
      const value = String(args[args.findIndex((arg) => arg === "--file" || arg === "--command") + 1]);
      const isFile = args.includes("--file");
      const sql = isFile ? await readFile(value, "utf8") : value;
      if (sql.includes(since)) left ??= [...errors];
      const error = left?.shift();
      const failed = { status: 1, stdout: "", stderr: String(error) };
      if (error && !isLost) return failed;
      const result = execute(sql, isFile);
      return error ? failed : result;
    };
    return { store: "d1" as const, remote: true, config, wrangler };
  }

  const WRITE = "INSERT OR REPLACE INTO block ";
  const KEPT = "\nNothing was loaded.";

  test("that a signal ends says that nothing was loaded, or from its switch on, how to see what was", async () => {
    const listen = vi.spyOn(process, "once");
    const choice = connect();
    const wrangler: WranglerRunner = (args) => {
      // The end of the process would call the listener.
      listen.mock.calls.find(([event]) => event === "exit")?.[1]();
      return choice.wrangler(args);
    };
    await loadFiles(writeRecords(30), { ...choice, wrangler });
    const stopped = listPrinted().filter((line) => line.startsWith("Stopped"));
    const unknown = expect.stringMatching(/^Stopped\. To see which .*: npm run data -- info --remote /);
    expect([...new Set(stopped)]).toEqual(["Stopped. Nothing was loaded.", unknown]);
  });

  test("whose blocks another load removes before the switch loads nothing", async () => {
    const choice = connect();
    const wrangler: WranglerRunner = async (args) => {
      const result = await choice.wrangler(args);
      if (args.includes("--file")) sqlite.exec("DELETE FROM block");
      return result;
    };
    const loading = loadFiles(writeRecords(30), { ...choice, wrangler });
    await expect(loading).rejects.toThrow(/^Another load .* deleted the blocks .*\nNothing was loaded\.$/);
  });

  const readServed = async () => (await readAll(openRemoteStore("d1", connect()).store)).records.reverse();
  const listWarnings = () => listPrinted().filter((line) => line.startsWith("Warning"));

  // biome-ignore format: a table of cases
  test.each<[string, Failures, error: RegExp]>([
    ["shows why its file is rejected", { since: WRITE, errors: ["Exceeded the daily limit of rows written"] }, new RegExp(`Exceeded the daily limit.*${KEPT}$`, "s")],
    // The errors are lines of wrangler's log.
    ["repeats a command after a temporary failure only",
      { since: WRITE, errors: ["fetch failed", "POST /accounts/account/d1 -> 503 Service Unavailable", "Upstream service unavailable [code: 7009]", "no such column"] },
      new RegExp(`failed:\nno such column${KEPT}$`)],
    ["shows the beginning of a command that fails", { since: "DELETE FROM block ", errors: ["no such column"] },
      /^wrangler d1 execute DB --yes --json --command DELETE FROM .{80,100}\.\.\. [^\n]{1,300}failed:\nno such column\n/],
    ["fails at once if its first command does not reach Cloudflare", { since: "", errors: ["fetch failed"] }, /failed:\nfetch failed/],
    ["says how to see what is served if the store fails from the switch on", { since: SWITCH, errors: Array(20).fill("overloaded") }, UNKNOWN],
  ])("%s, and leaves the served records", async (_, failures, error) => {
    await loadFiles(writeRecords(30), connect());
    const loading = loadFiles(writeRecords(40), connect(failures));
    await expect(loading).rejects.toThrow(error);
    expect(await readServed()).toEqual(makeRecords(30));
    expect(listWarnings()).toEqual([]);
  });

  test.each([
    ["is lost", "fetch failed"],
    ["reports a failure, but was executed", "overloaded"],
  ])("and an undo succeed if the response of their switch %s", async (_, error) => {
    await loadFiles(writeRecords(30), connect());
    await loadFiles(writeRecords(40), connect({ since: SWITCH, errors: [error], isLost: true }));
    expect(await readServed()).toEqual(makeRecords(40));
    await undo(connect({ since: SWITCH_BACK, errors: [error], isLost: true }));
    expect(await readServed()).toEqual(makeRecords(30));
    await expect(undo(connect())).rejects.toThrow("There is nothing to undo");
    expect(await readServed()).toEqual(makeRecords(30));
    expect(listWarnings()).toEqual([]);
  });

  test("can still be undone, or is said to be, after an undo that fails", async () => {
    await loadFiles(writeRecords(30), connect());
    await loadFiles(writeRecords(40), connect());
    const failing = connect({ since: SWITCH_BACK, errors: Array(20).fill("overloaded") });
    await expect(undo(failing)).rejects.toThrow(/overloaded\nTo see which .* info --remote --store d1 /);
    await undo(connect());
    expect(await readServed()).toEqual(makeRecords(30));
  });
});
