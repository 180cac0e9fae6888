import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** The text that the terminal shows at the end, and its modes at the end. */
export interface Screen {
  lines: string[];
  cursorShown: boolean;
  wraps: boolean;
}

const WIDTH = 80;

/** Runs a command to its end in a new terminal, 80 columns wide. */
export async function runInTerminal(command: string): Promise<Screen> {
  const args = ["-qec", `stty cols ${WIDTH}; ${command}`, "/dev/null"];
  const child = spawn("script", args, { stdio: ["ignore", "pipe", "inherit"] });
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  return interpret(output);
}

interface Terminal extends Screen {
  row: number;
  column: number;
  saved: { row: number; column: number };
}

const ESC = "\x1b";
const TOKEN = new RegExp(`${ESC}(?:[78]|\\[[?\\d;]*[A-Za-z])|[\\s\\S]`, "gu");

/** The control functions (ECMA-48) that lines and a progress bar use. */
const CONTROLS: Record<string, (terminal: Terminal) => unknown> = {
  "\r": (terminal) => Object.assign(terminal, { column: 0 }),
  "\n": (terminal) => {
    terminal.row += 1;
    terminal.lines[terminal.row] ??= "";
  },
  [`${ESC}7`]: (terminal) => Object.assign(terminal.saved, { row: terminal.row, column: terminal.column }),
  [`${ESC}8`]: (terminal) => Object.assign(terminal, terminal.saved),
  [`${ESC}[1G`]: (terminal) => Object.assign(terminal, { column: 0 }),
  [`${ESC}[0K`]: ({ lines, row, column }) => lines.splice(row, 1, lines[row]!.slice(0, column)),
  [`${ESC}[2K`]: ({ lines, row }) => lines.splice(row, 1, ""),
  [`${ESC}[?7h`]: (terminal) => Object.assign(terminal, { wraps: true }),
  [`${ESC}[?7l`]: (terminal) => Object.assign(terminal, { wraps: false }),
  [`${ESC}[?25h`]: (terminal) => Object.assign(terminal, { cursorShown: true }),
  [`${ESC}[?25l`]: (terminal) => Object.assign(terminal, { cursorShown: false }),
};

/** Draws the output of a program. A wrapped line stays one line; without wrapping, the rest of a long line is lost. */
function interpret(output: string): Screen {
  const start = { lines: [""], cursorShown: true, wraps: true };
  const terminal: Terminal = { ...start, row: 0, column: 0, saved: { row: 0, column: 0 } };
  for (const [token] of output.matchAll(TOKEN)) {
    const control = CONTROLS[token];
    if (control) control(terminal);
    else if (token.startsWith(ESC))
      throw new Error(`${JSON.stringify(token)} is not a known control sequence`);
    else draw(terminal, token);
  }
  const { lines, cursorShown, wraps } = terminal;
  return { lines, cursorShown, wraps };
}

function draw(terminal: Terminal, character: string): void {
  const { lines, row, column, wraps } = terminal;
  const at = wraps ? column : Math.min(column, WIDTH - 1);
  const line = lines[row]!;
  lines[row] = line.slice(0, at).padEnd(at) + character + line.slice(at + 1);
  terminal.column += 1;
}
