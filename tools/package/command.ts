#!/usr/bin/env node

import { type Command, Option } from "commander";
import { SettingError } from "../../src/bindings.ts";
import { print, printError } from "../command-line/print.ts";
import {
  createProgram,
  createWholeNumberParser,
  parseNonEmpty,
  runProgram,
  type SignalActions,
} from "../command-line/program.ts";
import { openProgress, printNotice } from "../command-line/progress.ts";
import { createCheckCommand } from "../conformance/check-command.ts";
import { describeError, formatCount, getMessage } from "../messages.ts";
import { addAdmin } from "./admin.ts";
import type { ListenOptions, ReceivedRequest, ServiceOptions } from "./index.d.ts";
import { ListenError, listen } from "./listen.ts";
import { createControls, type ServiceHooks } from "./service.ts";
import { InvalidOptionsError } from "./service-options.ts";

/** Headers that are printed: those that the service reads, and the name of the client. Others can have secrets, and logs are kept. */
const LOGGED_HEADERS = ["accept", "host", "if-none-match", "prefer", "user-agent"];

/**
 * Creates the program. It has no command `help`, so that a file can have this name; a file `conformance` is written `./conformance`.
 * `--public-origin` excludes `--admin`: it means a proxy, and one that rewrites `Host` would publish the paths below /__admin/.
 */
function createServeProgram(signals: SignalActions) {
  return createProgram("traffic-count-records")
    .description("Serve traffic count records from memory.")
    .argument("[files...]", "files with the records; - is standard input (default: the sample data)")
    .addOption(
      new Option("--port <number>", "port to listen on; 0 chooses a free port")
        .argParser(createWholeNumberParser(0, 65_535))
        .env("PORT")
        .default(8787),
    )
    .option("--host <name>", "name or address; 0.0.0.0 for all IPv4 addresses", parseNonEmpty, "localhost")
    .option("--cert <file>", "certificate in PEM, to serve https; needs --key", parseNonEmpty)
    .option("--key <file>", "key of the certificate, in PEM; needs --cert", parseNonEmpty)
    .option("--public-origin <url>", "scheme, host and port of links (default: the origin of the request)")
    .addOption(new Option("--model-name <name>", "rename other models (default: reject)").choices(["tf1"]))
    .option("--source <text>", "where the records come from (default: the file names)", parseNonEmpty)
    .addOption(new Option("--faults <state>", "whether requests can have faults").choices(["on", "off"]))
    .option("--prefer <faults>", "default faults for requests that set none, such as fail=0.05")
    .addOption(new Option("--admin", "let tests control the service at /__admin/").conflicts("publicOrigin"))
    .option("--log", "print a line of JSON on standard error for each request")
    .helpCommand(false)
    .action((files: string[], options: Options, command: Command) =>
      startServer(files, options, signals).catch((error) => {
        if (!USAGE_ERRORS.some((type) => error instanceof type)) throw error;
        command.error(`error: ${getMessage(error)}`);
      }),
    );
}

type Options = ServiceOptions & ListenOptions & { host: string; admin?: true; log?: true };

const USAGE_ERRORS = [SettingError, ListenError, InvalidOptionsError];

const LOCAL_HOST = /^(?:localhost|127\.[\d.]+|::1)$/i;

/** How long clients without an open request can still send one after the signal that ends the command. */
const GRACE_MS = 500;

async function startServer(files: string[], options: Options, signals: SignalActions): Promise<void> {
  const { port, host, cert, key, admin, log, ...serviceOptions } = options;
  if (admin && !LOCAL_HOST.test(host))
    printNotice("Warning: Other machines that reach this one can use --admin, too.");
  const hooks: ServiceHooks = {
    openStep: openProgress,
    warn: printNotice,
    onResponse: log ? printRequest : undefined,
    notesRequests: admin === true || log === true,
  };
  const controls = createControls({ files: files.length > 0 ? files : undefined, ...serviceOptions }, hooks);
  const { service, reload } = controls;
  const serve = async () => {
    await service.ready;
    const respond = addAdmin(controls, { isOn: admin === true, host });
    const settings = { overridesGlobals: true, graceMs: GRACE_MS };
    const { url, close } = await listen(respond, { port, host, cert, key }, settings);
    signals.finish = close;
    const defaults = service.prefer === "" ? "" : ` with ${service.prefer}`;
    print(`Serving${defaults} at ${url}`);
  };
  const readAgain = () =>
    reload().then(
      (count) => print(`Serving ${formatCount(count, "record")}, read again`),
      (error) => printError(`${describeError(error)}\nThe previous records are still served.`),
    );
  // Standard input cannot be read again. In a terminal, SIGHUP means that its window was closed.
  const isInTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  const canReadAgain = files.length > 0 && !files.includes("-") && !isInTerminal;
  // One after another. If the service cannot start, the command ends.
  let reading = serve();
  if (canReadAgain)
    signals.hangUp = () => {
      reading = reading.then(readAgain, () => {});
    };
  await reading;
}

function printRequest({ headers, ...received }: ReceivedRequest): void {
  const printed = Object.entries(headers).filter(([name]) => LOGGED_HEADERS.includes(name));
  printError(JSON.stringify({ ...received, headers: Object.fromEntries(printed) }));
}

// Docker Compose sets a variable without a value to an empty text.
if (process.env.PORT === "") delete process.env.PORT;
// Last, because the program uses what the lines above initialize.
const signals: SignalActions = {};
await runProgram(createServeProgram(signals).addCommand(createCheckCommand("conformance")), signals);
