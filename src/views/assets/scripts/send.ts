// Sends the form of the API reference without leaving the page, updates its curl command, and shows the response.

import { quoteForShell } from "../../../escape.ts";
import { formatBody } from "../../json-html.ts";
import { formatCurlOptions, formatHead } from "../../text-format.ts";

const form = find<HTMLFormElement>("#try");
const cancel = find<HTMLButtonElement>("#try [type=button]");
const status = find("#try [role=status]");
const seconds = find("#try [role=status] + span");
/** Opens the response as a page that marks what faults have changed. */
const marked = find<HTMLAnchorElement>("#try a");
const panel = find("#try ~ .response");

let running = new AbortController();

find("#try fieldset").hidden = false;
showCommand();
form.addEventListener("input", () => {
  showCommand();
  // What is shown belongs to an earlier request.
  form.classList.add("edited");
});
cancel.addEventListener("click", () => running.abort());
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
  void send(submitter);
});

function find<Found extends HTMLElement>(selector: string): Found {
  const found = document.querySelector<Found>(selector);
  if (found === null) throw new Error(`The page has no ${selector}.`);
  return found;
}

/** Fills the fields of the form that a link of an example has, and shows the form. */
function fill(query: URLSearchParams): void {
  for (const [name, value] of query) find<HTMLInputElement>(`#try [name=${name}]`).value = value;
  form.dispatchEvent(new Event("input"));
  form.scrollIntoView();
  find("#try [value=json]").focus({ preventScroll: true });
}

function readRequest() {
  const filled = Array.from(new FormData(form), ([name, value]) => [name, String(value)]);
  const query = new URLSearchParams(filled.filter(([, value]) => value !== ""));
  const fields = Array.from(form.querySelectorAll<HTMLInputElement>("fieldset input"));
  const headers = fields.flatMap(({ id, value }): [string, string][] => (value === "" ? [] : [[id, value]]));
  return {
    method: find<HTMLSelectElement>("#try select").value,
    url: query.size === 0 ? form.action : `${form.action}?${query}`,
    headers,
    asksForFaults: query.has("prefer") || headers.some(([name]) => name === "Prefer"),
  };
}

/** Shows the command for the values of the form, with the origin of the page. */
function showCommand(): void {
  const { method, url, headers } = readRequest();
  find("#try ~ .code code").textContent = `curl ${formatCurlOptions(method, headers)} ${quoteForShell(url)}`;
}

/** Sends a request and shows the response as it arrives. A running request is aborted. */
async function send(button: HTMLButtonElement): Promise<void> {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const isReplaced = () => signal !== running.signal;
  const beginning = Date.now();
  const timer = setInterval(() => {
    seconds.textContent = `${Math.round((Date.now() - beginning) / 1_000)} s`;
  }, 1_000);
  // The previous response stays visible, but dimmed, until the next one arrives, so that nothing moves.
  panel.ariaBusy = "true";
  panel.hidden = false;
  cancel.hidden = false;
  marked.hidden = true;
  form.classList.remove("edited");
  status.textContent = "Waiting for the response";
  seconds.textContent = "";
  panel.scrollTop = 0;
  // In this order, so that a small window shows the status.
  for (const element of [panel, status]) element.scrollIntoView({ block: "nearest" });
  await receive(signal, (summary, head, ...content) => {
    if (isReplaced()) return;
    panel.ariaBusy = "false";
    status.textContent = summary;
    find("#try ~ .response details pre").textContent = head;
    find("#try ~ .response > pre").replaceChildren(...content);
  });
  clearInterval(timer);
  if (isReplaced()) return;
  seconds.textContent = `${Date.now() - beginning} ms`;
  if (document.activeElement === cancel) button.focus();
  cancel.hidden = true;
}

/** Sends the request of the form. Shows what has arrived whenever there is more, until the response ends or breaks off. */
async function receive(
  signal: AbortSignal,
  show: (summary: string, head: string, ...body: (string | Node)[]) => void,
): Promise<void> {
  const { method, url, headers, asksForFaults } = readRequest();
  let head = [`${method} ${url}`, ...headers.map((header) => header.join(": "))].join("\n");
  let body = "";
  let problem = "The request failed";
  let effect = "";
  try {
    const response = await fetch(url, { method, headers, signal, cache: "no-store" });
    const name = `${response.status} ${response.statusText}`.trim();
    const applied = response.headers.get("Preference-Applied");
    if (asksForFaults) effect = " · no option applied";
    if (applied !== null) effect = ` · applied: ${applied}`;
    problem = `${name}, but the connection failed`;
    head += `\n\n${formatHead(name, response.headers)}`;
    // A link cannot repeat headers.
    const canMark = applied !== null && method === "GET" && headers.length === 0;
    if (canMark) Object.assign(marked, { href: url, hidden: false });
    const etag = response.headers.get("ETag");
    // Offers the latest entity-tag for `If-None-Match`.
    if (etag !== null) find("#etags").replaceChildren(new Option(etag));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      body += part.value;
      show(`${name}, the body is arriving${effect}`, head, body);
    }
    show(name + effect, head, document.createRange().createContextualFragment(formatBody(body)));
  } catch (error) {
    const arrived = body === "" ? "" : `${body}\n\n`;
    if (signal.aborted) show("Canceled", head, `${arrived}Canceled`);
    else show(problem + effect, head, `${arrived}${problem}: ${error}`);
  }
}
