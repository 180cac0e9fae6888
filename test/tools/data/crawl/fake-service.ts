import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { TrafficRecord } from "../../../../src/records/record.ts";
import { listen } from "../../../listen.ts";

/** What the service does instead of returning a page. */
export type Fault =
  | { status: number; headers?: Record<string, string>; body?: string }
  | { body: string }
  /** Never responds. */
  | "stall"
  /** Sends half of the response and closes the connection. */
  | "cut";

export interface PageRequest {
  page: number;
  /** The number of the request among all requests, from 0. */
  index: number;
  /** The number of the request among those for the same page, from 1. */
  attempt: number;
  at: number;
  headers: IncomingMessage["headers"];
  url: string;
}

/** A service that serves a list in memory. A test can change the list at any time and inject faults. */
export interface FakeService {
  origin: string;
  /** Oldest first. */
  records: TrafficRecord[];
  requests: PageRequest[];
  /** The highest number of requests that were open at the same time. */
  maxOpen: number;
  /** Called with each request before the response is made. */
  onRequest(request: PageRequest): Fault | undefined | Promise<Fault | undefined>;
  /** Called between the count and the selection of the records, which a database does in two steps. */
  onSelect(request: PageRequest): void;
  changeEnvelope(envelope: Record<string, unknown>, request: PageRequest): unknown;
  /** Called before each response is sent. */
  onResponse(request: PageRequest): Promise<void> | undefined;
  close(): Promise<void>;
}

export const PATH = "/api/tf1/records/";

export async function startFakeService(records: TrafficRecord[], size = 15): Promise<FakeService> {
  let open = 0;
  const server = createServer(async (request, response) => {
    open += 1;
    service.maxOpen = Math.max(service.maxOpen, open);
    response.on("close", () => {
      open -= 1;
    });
    await respond(service, request, response, size);
  });
  const service: FakeService = {
    ...(await listen(server)),
    records,
    requests: [],
    maxOpen: 0,
    onRequest: () => undefined,
    onSelect() {},
    changeEnvelope: (envelope) => envelope,
    onResponse: () => undefined,
  };
  return service;
}

async function respond(
  service: FakeService,
  message: IncomingMessage,
  response: ServerResponse,
  size: number,
): Promise<void> {
  const request = noteRequest(service, message);
  const fault = await service.onRequest(request);
  if (fault === "stall") return;
  if (typeof fault === "object") {
    const { status = 200, headers = {}, body } = { status: 200, headers: {}, ...fault };
    response.writeHead(status, headers).end(body);
    return;
  }
  const envelope = makeEnvelope(service, request, size);
  const body = JSON.stringify(envelope && service.changeEnvelope(envelope, request));
  await service.onResponse(request);
  const length = Buffer.byteLength(body ?? "");
  const headers = { "Content-Type": "application/json", "Content-Length": length };
  if (fault === "cut") {
    response.writeHead(200, headers).write(body.slice(0, body.length / 2), () => response.destroy());
  } else if (envelope) response.writeHead(200, headers).end(body);
  else response.writeHead(404).end('{"detail":"Invalid page."}');
}

function noteRequest(service: FakeService, { url = "", headers }: IncomingMessage): PageRequest {
  const page = Number(new URL(url, service.origin).searchParams.get("page"));
  const attempt = service.requests.filter((earlier) => earlier.page === page).length + 1;
  const request = { page, index: service.requests.length, attempt, at: performance.now(), headers, url };
  service.requests.push(request);
  return request;
}

function makeEnvelope(
  service: FakeService,
  request: PageRequest,
  size: number,
): Record<string, unknown> | undefined {
  const count = service.records.length;
  const { page } = request;
  service.onSelect(request);
  const end = service.records.length - size * (page - 1);
  const results = service.records.slice(Math.max(0, end - size), Math.max(0, end)).reverse();
  if (results.length === 0 && page > 1) return undefined;
  const link = (number: number) => `${service.origin}${PATH}?format=api&page=${number}`;
  const last = Math.max(1, Math.ceil(count / size));
  return {
    count,
    next: page < last ? link(page + 1) : null,
    previous: page > 1 ? link(page - 1) : null,
    results,
  };
}
