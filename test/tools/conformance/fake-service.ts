import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach } from "vitest";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { listen } from "../../listen.ts";
import { makeRecords } from "../../records/sample.ts";

export const PATH = "/api/tf1/records/";

/** Creates records that cover the whole specification, newest first. The newer half is from 2025, the rest 2019. */
export function makeCollection(count: number): TrafficRecord[] {
  const move = (record: TrafficRecord, index: number) =>
    index < count / 2 ? record : { ...record, timestamp: record.timestamp.replace("2019", "2025") };
  return makeRecords(count).map(move).reverse();
}

export interface ReceivedRequest {
  method: string;
  /** The query parameter. */
  page: string | null;
  /** The path with its query. */
  target: string;
  body: string;
  /** The number of the request, from 0. */
  index: number;
  receivedAt: number;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

type Envelope = Record<string, unknown>;

/** A service that conforms to the specification, unless a test changes it. */
export interface Service {
  origin: string;
  /** Newest first. */
  records: unknown[];
  size: number;
  /** The path of the collection. */
  path: string;
  requests: ReceivedRequest[];
  /** Changes the body of a page. */
  envelope(envelope: Envelope, number: number, request: ReceivedRequest): Envelope;
  /** Changes any response. */
  reply(reply: Reply, request: ReceivedRequest): Reply | Promise<Reply>;
  close(): Promise<void>;
}

/** The service of the current test. */
export let service: Service;

/** Starts a service before each test of the file, and closes it after the test. */
export function setUpService(records?: unknown[]): void {
  beforeEach(async () => {
    service = await startService(records);
  });
  afterEach(() => service.close());
}

export async function startService(records: unknown[] = makeCollection(40)): Promise<Service> {
  const server = createServer((request, response) => respond(service, request, response));
  const service: Service = {
    ...(await listen(server)),
    records,
    size: 15,
    path: PATH,
    requests: [],
    envelope: (envelope) => envelope,
    reply: (reply) => reply,
  };
  return service;
}

async function respond(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url: target = "" } = request;
  const page = new URL(target, service.origin).searchParams.get("page");
  const index = service.requests.length;
  const received = { method, page, target, body: "", index, receivedAt: performance.now() };
  service.requests.push(received);
  received.body = await text(request);
  const { status, headers, body } = await service.reply(makeReply(service, received), received);
  response.writeHead(status, { "Content-Length": Buffer.byteLength(body), ...headers }).end(body);
}

const HEADERS = { Allow: "GET, OPTIONS", "Content-Type": "application/json", Vary: "Accept" };

function makeReply(service: Service, request: ReceivedRequest): Reply {
  const { method, page, target } = request;
  const reply = (status: number, value: unknown) => ({
    status,
    headers: HEADERS,
    body: JSON.stringify(value),
  });
  if (!target.startsWith(service.path)) return reply(404, { detail: "Not found." });
  if (method === "OPTIONS") return reply(200, { name: "Records" });
  if (method !== "GET") return reply(405, { detail: `Method "${method}" not allowed.` });
  const number = Number(page ?? 1);
  const last = Math.max(1, Math.ceil(service.records.length / service.size));
  if (number < 1 || number > last) return reply(404, { detail: "Invalid page." });
  return reply(200, service.envelope(makeEnvelope(service, number, last), number, request));
}

export function makeEnvelope({ origin, records, size }: Service, number: number, last: number): Envelope {
  const link = (page: number) => `${origin}${PATH}?format=api&page=${page}`;
  return {
    count: records.length,
    next: number < last ? link(number + 1) : null,
    previous: number > 1 ? link(number - 1) : null,
    results: records.slice(size * (number - 1), size * number),
  };
}
