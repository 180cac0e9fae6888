import { createServer, type ServerResponse } from "node:http";
import { locatePage, PAGE_SIZE, pageUrls, writeEnvelope } from "../../../src/records/page.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { listen } from "../../listen.ts";

/** What the service does instead of returning a page. */
export type Fault =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Never responds. */
  | "stall"
  /** Sends half of the response and closes the connection. */
  | "cut";

export interface PageRequest {
  page: number;
  /** The number of the request among those for the same page, from 1. */
  attempt: number;
  url: string;
}

/** A service that serves a list in memory. A test can change the list at any time and inject faults. */
export interface FakeService {
  origin: string;
  /** Oldest first. */
  records: TrafficRecord[];
  requests: PageRequest[];
  /** Called with each request before the response is made. */
  onRequest(request: PageRequest): Fault | undefined | Promise<Fault | undefined>;
  close(): Promise<void>;
}

export const PATH = "/api/tf1/records/";

export async function startFakeService(records: TrafficRecord[]): Promise<FakeService> {
  const requests: PageRequest[] = [];
  const server = createServer(async ({ url = "" }, response) => {
    const page = Number(new URL(url, service.origin).searchParams.get("page") ?? 1);
    const request = { page, url, attempt: requests.filter((earlier) => earlier.page === page).length + 1 };
    requests.push(request);
    respond(service, page, response, await service.onRequest(request));
  });
  const service: FakeService = {
    ...(await listen(server)),
    records,
    requests,
    onRequest: () => undefined,
  };
  return service;
}

function respond(
  { origin, records }: FakeService,
  page: number,
  response: ServerResponse,
  fault: Fault | undefined,
): void {
  if (fault === "stall") return;
  if (typeof fault === "object") {
    response.writeHead(fault.status, fault.headers).end(fault.body);
    return;
  }
  const end = records.length - PAGE_SIZE * (page - 1);
  const results = JSON.stringify(records.slice(Math.max(0, end - PAGE_SIZE), end).reverse());
  const url = pageUrls(origin + PATH, new URLSearchParams());
  const body = writeEnvelope(locatePage(records.length, page), results, url);
  const length = Buffer.byteLength(body);
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": length });
  if (fault === "cut") response.write(body.slice(0, body.length / 2), () => response.destroy());
  else response.end(body);
}
