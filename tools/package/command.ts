#!/usr/bin/env node

import { type Command, Option } from "commander";
import { SettingError } from "../../src/setting-error.ts";
import { print, printError } from "../command-line/print.ts";
import {
  createProgram,
  createWholeNumberParser,
  parseNonEmpty,
  runProgram,
} from "../command-line/program.ts";
import { openProgress, printNotice } from "../command-line/progress.ts";
import { addAdmin } from "./admin.ts";
import type { ReceivedRequest, ServiceOptions } from "./index.d.ts";
import { ListenError } from "./listen.ts";
import { createService, type ServiceHooks } from "./service.ts";

const NAME = "traffic-count-records";

/** Headers that are not printed, because logs are often kept and shared. */
const CREDENTIALS = ["authorization", "proxy-authorization", "cookie"];

function createServeProgram() {
  return (
    createProgram(NAME)
      .description("Serve traffic count records from memory.")
      .argument("[files...]", "files with the records; - is standard input (default: the sample data)")
      .addOption(
        new Option("--port <number>", "port to listen on; 0 chooses a free port")
          .argParser(createWholeNumberParser(0, 65_535))
          .env("PORT")
          .default(8787),
      )
      .option("--host <name>", "name or address; 0.0.0.0 for all IPv4 addresses", parseNonEmpty, "localhost")
      .option("--public-origin <url>", "scheme, host and port of links (default: the origin of the request)")
      .addOption(
        new Option(
          "--model-name <name>",
          "replace the model name of all records (default: reject other models)",
        ).choices(["tf1"]),
      )
      .option("--prefer <faults>", "default faults for requests that set none, such as fail=0.05")
      .addOption(
        // --public-origin means a proxy. If it rewrites `Host`, it would publish the paths below /__admin/.
        new Option(
          "--admin",
          "let tests change faults and records, and read the requests, below /__admin/",
        ).conflicts("publicOrigin"),
      )
      .option("--log", "print a line of JSON on standard error for each request")
      // A file can be named `help`. A file named `check`, like the other command, is written `./check`.
      .helpCommand(false)
      .action(serve)
  );
}

type Options = ServiceOptions & { port: number; host: string; admin?: true; log?: true };

async function serve(files: string[], options: Options, command: Command): Promise<void> {
  const { port, host, admin = false, log, ...others } = options;
  const hooks: ServiceHooks = {
    openStep: openProgress,
    warn: printNotice,
    onResponse: log ? printRequest : undefined,
    listsRequests: admin,
    replacesGlobals: true,
    wrapResponder: admin ? (respond, controls) => addAdmin(respond, controls, { host }) : undefined,
  };
  const serviceOptions = { files: files.length > 0 ? files : undefined, ...others };
  const service = await reportUsageErrors(command, () => createService(serviceOptions, hooks));
  await service.ready;
  const { url } = await reportUsageErrors(command, () => service.listen({ port, host }));
  const faults = service.prefer === "" ? "" : ` with ${service.prefer}`;
  print(`Serving${faults} at ${url}`);
}

/** Runs an action that fails with a `SettingError` or a `ListenError` if an option of the command is invalid. */
async function reportUsageErrors<T>(command: Command, action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof SettingError || error instanceof ListenError)) throw error;
    command.error(`error: ${error.message}`);
  }
}

function printRequest({ headers, ...received }: ReceivedRequest): void {
  const printed = [...headers].filter(([name]) => !CREDENTIALS.includes(name));
  printError(JSON.stringify({ ...received, headers: Object.fromEntries(printed) }));
}

// Imported dynamically, so that the build puts it into a file of its own. In this file, which is what Node has started, it would run as
// `npm run conformance`, too.
const { createCheckCommand } = await import("../conformance/check-command.ts");
// Last, because the program runs here, and uses what the lines above initialize.
await runProgram(createServeProgram().addCommand(createCheckCommand("check")));
