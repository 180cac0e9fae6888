// Sends the form of the API reference without leaving the page, updates its curl command, and shows the response.

import { formatHead, quoteForShell } from "../../text-format.ts";

let running = new AbortController();

const form = document.querySelector<HTMLFormElement>("form#try");
if (form) showCommand(form);
form?.addEventListener("input", () => showCommand(form));
form?.addEventListener("submit", (event) => {
  const { submitter } = event;
  if (!(submitter instanceof HTMLButtonElement) || submitter.value !== "json") return;
  event.preventDefault();
  void send(form, form.action + readQuery(form));
});

function readQuery(form: HTMLFormElement): string {
  const filled = Array.from(new FormData(form), ([name, value]) => [name, String(value)]);
  const query = new URLSearchParams(filled.filter(([, value]) => value !== ""));
  return query.size === 0 ? "" : `?${query}`;
}

/** Shows the command for the values of the form, with the origin of the page. */
function showCommand(form: HTMLFormElement): void {
  const code = form.parentElement?.querySelector(".code code");
  if (code) code.textContent = `curl -si ${quoteForShell(form.action + readQuery(form))}`;
}

/** Sends a request and shows the response. A running request is aborted. */
async function send(form: HTMLFormElement, url: string): Promise<void> {
  const panel = form.parentElement?.querySelector<HTMLElement>(".response");
  const status = form.querySelector("[role=status]");
  const text = panel?.querySelector("pre");
  if (!panel || !status || !text) return;
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const show = (summary: string, content: string) => {
    if (signal.aborted) return;
    status.textContent = summary;
    text.textContent = content;
  };
  let head = "";
  const beginning = Date.now();
  // The previous response stays visible until the next one arrives, so that nothing moves.
  status.textContent = "Waiting for the response";
  panel.hidden = false;
  panel.scrollIntoView({ block: "nearest" });
  try {
    const response = await fetch(url, { signal, cache: "no-store" });
    const name = `${response.status} ${response.statusText}`.trim();
    head = `GET ${url}\n\n${formatHead(name, response.headers)}`;
    show(name, head);
    const body = await response.text();
    show(`${name}, ${Date.now() - beginning} ms`, head + indent(body));
  } catch (error) {
    show("The connection failed", `${head}The connection failed: ${error}`);
  }
}

/** Indents JSON. Returns other text unchanged. */
function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
