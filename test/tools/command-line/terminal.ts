import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** The text that the terminal shows at the end, and its modes at the end. */
interface Screen {
  lines: string[];
  cursorShown: boolean;
  wraps: boolean;
}

const WIDTH = 80;

const ESC = "\x1b";
const TOKEN = new RegExp(`${ESC}(?:[78]|\\[[?\\d;]*[A-Za-z])|[\\s\\S]`, "gu");

/** Runs a command to its end in a new terminal, 80 columns wide. */
export async function runInTerminal(command: string): Promise<Screen> {
  const args = ["-qec", `stty cols ${WIDTH}; ${command}`, "/dev/null"];
  const child = spawn("script", args, { stdio: ["ignore", "pipe", "inherit"] });
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  return interpret(output);
}

/** Draws the output of a program that changes only its last line. A wrapped line stays one line; the rest of any other is lost. */
function interpret(output: string): Screen {
  const screen = { lines: [""], cursorShown: true, wraps: true };
  let [column, saved] = [0, 0];
  const change = (edit: (line: string) => string) => screen.lines.push(edit(screen.lines.pop() ?? ""));
  // The control functions (ECMA-48) that lines and a progress bar use.
  const controls: Record<string, () => unknown> = {
    "\r": () => (column = 0),
    "\n": () => screen.lines.push(""),
    [`${ESC}7`]: () => (saved = column),
    [`${ESC}8`]: () => (column = saved),
    [`${ESC}[1G`]: () => (column = 0),
    [`${ESC}[0K`]: () => change((line) => line.slice(0, column)),
    [`${ESC}[2K`]: () => change(() => ""),
    [`${ESC}[?7h`]: () => (screen.wraps = true),
    [`${ESC}[?7l`]: () => (screen.wraps = false),
    [`${ESC}[?25h`]: () => (screen.cursorShown = true),
    [`${ESC}[?25l`]: () => (screen.cursorShown = false),
  };
  for (const [token] of output.matchAll(TOKEN)) {
    if (controls[token]) controls[token]();
    else if (token.startsWith(ESC)) throw new Error(`${JSON.stringify(token)} is not a known control`);
    else {
      const at = screen.wraps ? column : Math.min(column, WIDTH - 1);
      change((line) => line.slice(0, at).padEnd(at) + token + line.slice(at + 1));
      column += 1;
    }
  }
  return screen;
}
