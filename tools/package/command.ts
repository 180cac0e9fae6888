#!/usr/bin/env node

import { type Command, Option } from "commander";
import { SettingError } from "../../src/bindings.ts";
import { requireOrigin } from "../../src/http/request.ts";
import { print, printError } from "../command-line/print.ts";
import {
  createProgram,
  createWholeNumberParser,
  parseNonEmpty,
  runProgram,
} from "../command-line/program.ts";
import { openProgress, printNotice } from "../command-line/progress.ts";
import { createCheckCommand } from "../conformance/check-command.ts";
import { describeError, formatCount, getMessage } from "../messages.ts";
import { addAdmin } from "./admin.ts";
import type { ReceivedRequest, ServiceOptions } from "./index.d.ts";
import { ListenError, listen } from "./listen.ts";
import { createControls, type ServiceHooks } from "./service.ts";
import { InvalidOptionsError } from "./service-options.ts";

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
        new Option("--model-name <name>", "serve records of other models, too, as tf1").choices(["tf1"]),
      )
      .option("--source <text>", "where the records come from (default: the file names)", parseNonEmpty)
      .addOption(new Option("--faults <state>", "whether requests can have faults").choices(["on", "off"]))
      .option("--prefer <faults>", "default faults for requests that set none, such as fail=0.05")
      .addOption(
        // --public-origin means a proxy. If it rewrites `Host`, it would publish the paths below /__admin/.
        new Option("--admin", "let tests control the service below /__admin/").conflicts("publicOrigin"),
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
    notesRequests: admin || log !== undefined,
  };
  const controls = await reportUsageErrors(command, () => {
    if (others.publicOrigin) requireOrigin("--public-origin", others.publicOrigin);
    return createControls({ files: files.length > 0 ? files : undefined, ...others }, hooks);
  });
  const { service, reload } = controls;
  await service.ready;
  const respond = admin ? addAdmin(controls, host) : controls.respond;
  const { url } = await reportUsageErrors(command, () =>
    listen(respond, { port, host }, { overridesGlobals: true }),
  );
  const readAgain = () =>
    reload().then(
      (count) => print(`Serving ${formatCount(count, "record")} of the files as they are now`),
      (error) => printError(`${describeError(error)}\nThe previous records are still served.`),
    );
  // In a terminal, the signal means that the user has closed the window, and ends the command.
  if (!process.stdout.isTTY) process.removeAllListeners("SIGHUP").on("SIGHUP", readAgain);
  const faults = service.prefer === "" ? "" : ` with ${service.prefer}`;
  print(`Serving${faults} at ${url}`);
}

const USAGE_ERRORS = [SettingError, ListenError, InvalidOptionsError];

/** Runs an action that fails with a usage error if an option of the command is invalid. */
async function reportUsageErrors<T>(command: Command, action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!USAGE_ERRORS.some((type) => error instanceof type)) throw error;
    command.error(`error: ${getMessage(error)}`);
  }
}

function printRequest({ headers, ...received }: ReceivedRequest): void {
  const printed = [...headers].filter(([name]) => !CREDENTIALS.includes(name));
  printError(JSON.stringify({ ...received, headers: Object.fromEntries(printed) }));
}

// Compose sets a variable without a value to an empty text.
if (process.env.PORT === "") delete process.env.PORT;
// Last, because the program uses what the lines above initialize.
await runProgram(createServeProgram().addCommand(createCheckCommand("check")));
