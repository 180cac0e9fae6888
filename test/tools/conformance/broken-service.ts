import { expect, test } from "vitest";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { makeCollection, type ReceivedRequest, type Reply, service, setUpService } from "./fake-service.ts";
import { checkQuickly, evidenceOf, rulesOf } from "./quick-check.ts";

export const RECORDS = makeCollection(40);

/** A fault of the service, the only rule that it breaks, and the evidence in the report. */
export type Fault = [name: string, rule: string, evidence: RegExp, apply: () => void];

export const at = (index: number) => RECORDS[index] as TrafficRecord;

/** The index of the broken record. The record is on page 2, is from 2025, and its camera has earlier records. */
export const BROKEN = 17;
export const OLD = 35;

export function change(fields: object, index = BROKEN): void {
  service.records = RECORDS.with(index, { ...at(index), ...fields });
}

export function swap(one: number, other: number): void {
  service.records = RECORDS.with(one, at(other)).with(other, at(one));
}

/** Changes the response to GET of one page, or to GET without a page number (null). */
export function changeReply(page: string | null, alter: (reply: Reply) => Partial<Reply>): void {
  service.reply = (reply, request) =>
    request.method === "GET" && request.page === page ? { ...reply, ...alter(reply) } : reply;
}

export function changeText(page: string, from: string | RegExp, to: string): void {
  changeReply(page, ({ body }) => ({ body: String(body).replace(from, to) }));
}

export function changeHeaders(
  headers: Record<string, string>,
  isAffected = (_: ReceivedRequest) => true,
): void {
  service.reply = (reply, request) =>
    isAffected(request) ? { ...reply, headers: { ...reply.headers, ...headers } } : reply;
}

export function changeLinks(alter: (link: string, name: string) => unknown): void {
  service.envelope = (envelope) => {
    const entries = Object.entries(envelope);
    return Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        typeof value === "string" && value.includes("page=") ? alter(value, name) : value,
      ]),
    );
  };
}

export function changeCount(count: (number: number, index: number) => unknown): void {
  service.envelope = (envelope, number, { index }) => ({ ...envelope, count: count(number, index) });
}

export const respondTo = (method: string, status: number) => () => {
  service.reply = (reply, request) => (request.method === method ? { ...reply, status, body: "" } : reply);
};

export const without = (name: string) => () => {
  const { [name]: _, ...rest } = { ...at(BROKEN) } as Record<string, unknown>;
  service.records = RECORDS.with(BROKEN, rest as unknown as TrafficRecord);
};

/** Tests that each fault breaks exactly one rule. */
export function testFaults(faults: Fault[]): void {
  setUpService(RECORDS);

  test.each(faults)("%s, which breaks only %s", async (_name, rule, evidence, apply) => {
    apply();
    for (const concurrency of [1, 8]) {
      const report = await checkQuickly(service.origin, { concurrency });
      expect(rulesOf(report, "fail")).toEqual([rule]);
      expect(evidenceOf(report, rule).join("\n")).toMatch(evidence);
    }
  });
}
