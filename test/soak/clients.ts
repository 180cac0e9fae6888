import { Agent, request as send } from "node:http";
import { text } from "node:stream/consumers";
import type { Collection, Expected } from "./collection.ts";
import { drawKind, makeRequest, type Request } from "./requests.ts";

/** What the clients observed. */
export interface Findings {
  /** The time until each response in milliseconds, by kind of request. */
  times: Map<string, number[]>;
  serverErrors: number;
  /** The number of wrong responses and of requests without a response. */
  wrong: number;
  /** Descriptions of the first wrong or missing responses. */
  examples: string[];
}

interface Received {
  status: number;
  body: string;
  etag: string | undefined;
}

/** A client's copies of pages, for conditional requests. */
type Copies = Map<number, Received>;

const MOST_EXAMPLES = 10;

/**
 * Sends mixed requests until `stop` is aborted. Each client sends one request at a time over its own connection.
 * @param current returns the collections that a response may show at the moment
 */
export async function runClients(
  origin: string,
  clients: number,
  current: () => Collection[],
  stop: AbortSignal,
): Promise<Findings> {
  const findings: Findings = { times: new Map(), serverErrors: 0, wrong: 0, examples: [] };
  const runClient = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const copies: Copies = new Map();
    const exchange = (request: Request) => sendRequest(origin, agent, request);
    while (!stop.aborted) await makeOne(exchange, current, copies, findings);
    agent.destroy();
  };
  await Promise.all(Array.from({ length: clients }, runClient));
  return findings;
}

async function makeOne(
  exchange: (request: Request) => Promise<Received>,
  current: () => Collection[],
  copies: Copies,
  findings: Findings,
): Promise<void> {
  const before = current();
  const kind = drawKind();
  const page = 1 + Math.floor(Math.random() * before[0]!.pages);
  const copy = copies.get(page);
  const request = makeRequest(kind, page, copy?.etag);
  const begun = performance.now();
  try {
    const response = await exchange(request);
    record(findings, kind.name, performance.now() - begun);
    if (response.status >= 500) findings.serverErrors += 1;
    const meant = response.status === 304 && copy ? copy : response;
    // A load may have begun or ended while the response was on its way.
    judge(findings, request, meant, new Set([...before, ...current()]));
    if (request.page === page) copies.set(page, meant);
  } catch (error) {
    report(findings, request, String(error));
  }
}

function sendRequest(origin: string, agent: Agent, { method, path, headers }: Request): Promise<Received> {
  return new Promise((resolve, reject) => {
    const outgoing = send(origin + path, { method, headers, agent, timeout: 30_000 }, (incoming) => {
      const { statusCode: status = 0, headers } = incoming;
      text(incoming).then((body) => resolve({ status, body, etag: headers.etag }), reject);
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("no response within 30 s")));
    outgoing.on("error", reject).end();
  });
}

function record({ times }: Findings, name: string, took: number): void {
  const kind = times.get(name);
  if (kind) kind.push(took);
  else times.set(name, [took]);
}

function judge(findings: Findings, request: Request, response: Received, collections: Set<Collection>): void {
  const right = listExpected(request, collections).some(
    ({ status, body }) => response.status === status && (body === undefined || response.body === body),
  );
  if (!right) report(findings, request, `${response.status} ${response.body.slice(0, 160)}`);
}

function listExpected({ page, expected }: Request, collections: Set<Collection>): Expected[] {
  if (expected) return [expected];
  return [...collections].map(({ pages, expected }) => expected(page === "last" ? pages : (page ?? 1)));
}

function report(findings: Findings, { method, path }: Request, what: string): void {
  findings.wrong += 1;
  if (findings.examples.length < MOST_EXAMPLES) findings.examples.push(`${method} ${path}: ${what}`);
}
