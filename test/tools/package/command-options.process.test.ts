import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { PATH } from "../../support/exchange.ts";
import { findPort } from "../../support/free-port.ts";
import { formatCsv, makeRecords } from "../../support/sample-records.ts";
import { COMMAND, installPackage, runIn, startCommand } from "./built-package.ts";

const folder = await installPackage();
await writeFile(join(folder, "tf2.csv"), formatCsv(makeRecords(1)).replaceAll("tf1", "tf2"));
const port = await findPort();

type Command = Awaited<ReturnType<typeof startCommand>>;

const plain = await startCommand(folder, []);
afterAll(plain.stop);

const read = async (url: string, path = PATH) => {
  const response = await fetch(url + path);
  return `${response.status} ${await response.text()}`;
};

interface Row {
  /** The option with its value. */
  option: string;
  files?: string[];
  show(command: Command): Promise<string>;
  /** What the command shows with the option, and not without it. */
  expected: RegExp;
}

const ROWS: Row[] = [
  { option: `--port ${port}`, show: async ({ url }) => url, expected: new RegExp(`:${port}$`) },
  { option: "--host 127.0.0.1", show: async ({ url }) => url, expected: /^http:\/\/127\.0\.0\.1:/ },
  {
    option: "--public-origin https://counts.example",
    show: ({ url }) => read(url),
    expected: /"next":"https:\/\/counts\.example\//,
  },
  { option: "--model-name tf1", files: ["tf2.csv"], show: ({ url }) => read(url), expected: /"count":1,/ },
  { option: "--prefer code=418", show: ({ url }) => read(url), expected: /^418 / },
  { option: "--admin", show: ({ url }) => read(url, "/__admin/prefer"), expected: /^200 \{"prefer":""\}/ },
  {
    option: "--log",
    async show({ url, stop }) {
      await read(url, "/healthz");
      return (await stop()).stderr;
    },
    expected: /^\{"method":"GET",.*\/healthz/,
  },
];

test.each(ROWS)("the command shows the effect of $option", async ({ option, files = [], show, expected }) => {
  const command = await startCommand(folder, [...files, ...option.split(" ")]);
  expect(await show(command)).toMatch(expected);
  await command.stop();
});

test("the other rows are those of a command without options, and each option has a row", async () => {
  for (const { show, expected } of ROWS) expect(await show(plain)).not.toMatch(expected);
  const { stdout } = await runIn(folder, process.execPath, [COMMAND, "--help"]);
  const options = Array.from(stdout.matchAll(/^ +(?:-\w, )?(--[\w-]+)/gm), ([, name]) => name);
  const others = ["--version", "--help"];
  const named = ROWS.map(({ option }) => option.replace(/ .*/, ""));
  expect(options.filter((name) => !others.includes(String(name)))).toEqual(named);
});
