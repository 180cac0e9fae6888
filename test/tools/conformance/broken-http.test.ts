import {
  answerTo,
  changeHeaders,
  changeReply,
  changeText,
  RECORDS,
  service,
  testFaults,
} from "./breaking.ts";
import { PATH } from "./service.ts";

testFaults([
  ["POST is accepted", "Record 5", /POST: is answered 201/, answerTo("POST", 201)],
  ["PUT is accepted", "Record 5", /PUT: is answered 200/, answerTo("PUT", 200)],
  ["PATCH is accepted", "Record 5", /PATCH: is answered 202/, answerTo("PATCH", 202)],
  ["DELETE is accepted", "Record 5", /DELETE: is answered 204/, answerTo("DELETE", 204)],
  ["POST leads elsewhere", "Record 5", /POST: is answered 303/, answerTo("POST", 303)],
  ["DELETE leads elsewhere", "Record 5", /DELETE: is answered 301/, answerTo("DELETE", 301)],
  [
    "Allow lists POST",
    "List records.Allow",
    /Allow is "GET, POST, OPTIONS"/,
    () => changeHeaders({ Allow: "GET, POST, OPTIONS" }),
  ],
  ["Allow lacks OPTIONS", "List records.Allow", /Allow is "GET"/, () => changeHeaders({ Allow: "GET" })],
  [
    "Allow lists PUT for OPTIONS alone",
    "List records.Allow",
    /OPTIONS: Allow is "GET, PUT"/,
    () => changeHeaders({ Allow: "GET, PUT" }, ({ method }) => method === "OPTIONS"),
  ],
  [
    "Allow lacks OPTIONS for OPTIONS itself",
    "List records.Allow",
    /OPTIONS: Allow is "GET"/,
    () => changeHeaders({ Allow: "GET" }, ({ method }) => method === "OPTIONS"),
  ],
  [
    "Allow lists DELETE for an error alone",
    "List records.Allow",
    /page=0: Allow is "GET, DELETE, OPTIONS"/,
    () => changeHeaders({ Allow: "GET, DELETE, OPTIONS" }, ({ page }) => page === "0"),
  ],
  [
    "Vary is missing",
    "List records.Vary",
    /Vary is missing/,
    () => {
      service.reply = (reply) => {
        const { Vary: _, ...headers } = reply.headers;
        return { ...reply, headers };
      };
    },
  ],
  [
    "Vary lists more",
    "List records.Vary",
    /Vary is "Accept, Cookie"/,
    () => changeHeaders({ Vary: "Accept, Cookie" }),
  ],
  [
    "Content-Type has a charset",
    "List records.Content-Type",
    /charset=utf-8/,
    () => changeHeaders({ "Content-Type": "application/json; charset=utf-8" }),
  ],
  [
    "Content-Type is text/html",
    "List records.Content-Type",
    /is "text\/html"/,
    () => changeHeaders({ "Content-Type": "text/html" }),
  ],
  [
    "Content-Type is another on one page",
    "List records.Content-Type",
    /page=3: /,
    () => changeHeaders({ "Content-Type": "text/json" }, ({ page }) => page === "3"),
  ],
  ["OPTIONS is refused", "Options.method", /is answered 405/, answerTo("OPTIONS", 405)],
  [
    "without page, the last one is assumed",
    "List records.page default",
    /other records than page 1/,
    () => {
      service.envelope = (envelope, _, { page }) =>
        page === null ? { ...envelope, results: RECORDS.slice(30) } : envelope;
    },
  ],
  [
    "without page, there is nothing",
    "List records.page default",
    /is answered 404/,
    () => changeReply(null, () => ({ status: 404 })),
  ],
  [
    "page 2 is as page 1",
    "List records.page",
    /page=2: has the records of page 1/,
    () => {
      service.envelope = (envelope, number) =>
        number === 2 ? { ...envelope, results: RECORDS.slice(0, 15) } : envelope;
    },
  ],
  [
    "a page breaks off",
    "List records.body",
    /page=2: the body is not JSON/,
    () => changeReply("2", ({ body }) => ({ body: body.slice(0, 999) })),
  ],
  [
    "a page is empty",
    "List records.body",
    /the body is not JSON: ""/,
    () => changeReply("2", () => ({ body: "" })),
  ],
  [
    "the last page breaks off",
    "List records.body",
    /page=3: /,
    () => changeReply("3", ({ body }) => ({ body: body.slice(0, -1) })),
  ],
  [
    "a page is an array",
    "List records.body",
    /is not a JSON object/,
    () => changeReply("2", () => ({ body: "[]" })),
  ],
  [
    "a name stands twice",
    "List records.body",
    /has the name "cars" twice/,
    () => changeText("2", '"cars":', '"cars":1,"cars":'),
  ],
  [
    "a page begins with a byte order mark",
    "List records.body",
    /is not JSON/,
    () => changeReply("2", ({ body }) => ({ body: `\uFEFF${body}` })),
  ],
  [
    "a page is not UTF-8",
    "List records.body",
    /is not UTF-8/,
    () =>
      changeReply("2", ({ body }) => ({
        body: Buffer.from(String(body).replace("a33", "\xE933"), "latin1"),
      })),
  ],
  [
    "a page is not found",
    "List records.status",
    /page=2: is answered 404/,
    () => changeReply("2", () => ({ status: 404 })),
  ],
  [
    "a page redirects",
    "List records.status",
    /302, Location "\?page=1"/,
    () => changeReply("2", () => ({ status: 302, headers: { Location: "?page=1" } })),
  ],
  [
    "a page is answered 203",
    "List records.status",
    /is answered 203/,
    () => changeReply("2", () => ({ status: 203 })),
  ],
  [
    "GET is not allowed on a page",
    "List records.method",
    /GET is answered 405/,
    () => changeReply("2", () => ({ status: 405 })),
  ],
  [
    "the collection is elsewhere",
    "List records.path",
    /leads to "\/v2\/records\/"/,
    () => {
      service.path = "/v2/records/";
      service.reply = (reply, { target }) => {
        if (!target.startsWith(PATH)) return reply;
        return { ...reply, status: 308, headers: { Location: target.replace(PATH, "/v2/records/") } };
      };
    },
  ],
]);
