// Sends the form of the API reference without leaving the page, updates its curl command, and shows the response.

import { quoteForShell } from "../../../escape.ts";
import { formatBody } from "../../json-html.ts";
import { formatHead } from "../../text-format.ts";

const form = find<HTMLFormElement>("#try");
const status = find("#try [role=status]");
const seconds = find("#try [role=status] + span");
const panel = find("#received");

let running = new AbortController();

showCommand();
const areFaultsOn = showSettings();
form.addEventListener("input", showCommand);
for (const link of document.querySelectorAll<HTMLAnchorElement>("a.fill"))
  link.addEventListener("click", (event) => {
    const opensElsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
    if (opensElsewhere) return;
    event.preventDefault();
    fill(new URL(link.href).searchParams);
  });
form.addEventListener("submit", (event) => {
  const { submitter } = event;
  if (!(submitter instanceof HTMLButtonElement) || submitter.value !== "json") return;
  event.preventDefault();
  void send();
});

function find<Found extends HTMLElement>(selector: string): Found {
  const found = document.querySelector<Found>(selector);
  if (found === null) throw new Error(`The page has no ${selector}.`);
  return found;
}

/**
 * Shows the settings that decide what `prefer` does: the page itself is the same in all deployments.
 * @returns Whether faults are on, also if that is not known
 */
async function showSettings(): Promise<boolean> {
  const response = await fetch("/?format=json").catch(() => undefined);
  if (!response?.ok) return true;
  const { faults, prefer } = await response.json();
  const defaults = `requests without options of their own ${prefer ? `get ${prefer}` : "have no fault"}`;
  const text = faults ? defaults : "faults are turned off: no request can have a fault";
  find("#settings").textContent = `Here, ${text}.`;
  return faults;
}

/** Fills the form for a link of an example, and shows the form. With a new value of `run`, `times` counts from the beginning. */
function fill(query: URLSearchParams): void {
  const prefer = query.get("prefer") ?? "";
  find<HTMLInputElement>("#try [name=prefer]").value = prefer;
  find<HTMLInputElement>("#try [name=run]").value = prefer.includes("times=") ? String(Date.now()) : "";
  form.dispatchEvent(new Event("input"));
  form.scrollIntoView();
  find("#try [value=json]").focus({ preventScroll: true });
}

function readUrl(): string {
  const filled = Array.from(new FormData(form), ([name, value]) => [name, String(value)]);
  const query = new URLSearchParams(filled.filter(([, value]) => value !== ""));
  return query.size === 0 ? form.action : `${form.action}?${query}`;
}

/** Shows the command for the values of the form, with the origin of the page. */
function showCommand(): void {
  find("#try ~ .code code").textContent = `curl -si ${quoteForShell(readUrl())}`;
}

/** Sends a request and shows the response as it arrives. A running request is aborted. */
async function send(): Promise<void> {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const beginning = Date.now();
  const timer = setInterval(() => {
    seconds.textContent = `${Math.round((Date.now() - beginning) / 1_000)} s`;
  }, 1_000);
  // The previous response stays visible, but dimmed, until the next one arrives, so that nothing moves.
  panel.ariaBusy = "true";
  panel.hidden = false;
  status.textContent = "Waiting for the response";
  seconds.textContent = "";
  panel.scrollTop = 0;
  // In this order, so that a small window shows the status.
  for (const element of [panel, status]) element.scrollIntoView({ block: "nearest" });
  await receive(signal, (summary, head, ...content) => {
    if (signal.aborted) return;
    panel.ariaBusy = "false";
    status.textContent = summary;
    find("#received details pre").textContent = head;
    find("#received .response > pre").replaceChildren(...content);
  });
  clearInterval(timer);
  if (signal.aborted) return;
  seconds.textContent = `${Date.now() - beginning} ms`;
}

/** Sends the request of the form. Shows what has arrived whenever there is more, until the response ends or breaks off. */
async function receive(
  signal: AbortSignal,
  show: (summary: string, head: string, ...body: (string | Node)[]) => void,
): Promise<void> {
  const url = readUrl();
  let head = `GET ${url}`;
  let body = "";
  let problem = "The request failed";
  let effect = "";
  try {
    const response = await fetch(url, { signal, cache: "no-store" });
    const name = `${response.status} ${response.statusText}`.trim();
    const applied = response.headers.get("Preference-Applied");
    // Without Allow, the response came from a proxy, such as wrangler's after `close`.
    if (url.includes("prefer=") && response.headers.has("Allow"))
      effect = (await areFaultsOn) ? " · no option applied" : " · faults are turned off";
    if (applied !== null) effect = ` · applied: ${applied}`;
    problem = `${name}, but the connection failed`;
    head += `\n\n${formatHead(name, response.headers)}`;
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      body += part.value;
      show(`${name}, the body is arriving${effect}`, head, body);
    }
    show(name + effect, head, document.createRange().createContextualFragment(formatBody(body)));
  } catch (error) {
    const arrived = body === "" ? "" : `${body}\n\n`;
    show(problem + effect, head, `${arrived}${problem}: ${error}`);
  }
}
