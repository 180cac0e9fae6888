import { changeHeaders, changeReply, changeText, RECORDS, respondTo, testFaults } from "./broken-service.ts";
import { PATH, service } from "./fake-service.ts";

testFaults([
  ["POST is accepted", "Record 5", /POST: returned 201/, respondTo("POST", 201)],
  ["PUT is accepted", "Record 5", /PUT: returned 200/, respondTo("PUT", 200)],
  ["PATCH is accepted", "Record 5", /PATCH: returned 202/, respondTo("PATCH", 202)],
  ["DELETE is accepted", "Record 5", /DELETE: returned 204/, respondTo("DELETE", 204)],
  ["POST redirects", "Record 5", /POST: returned 303/, respondTo("POST", 303)],
  ["DELETE redirects", "Record 5", /DELETE: returned 301/, respondTo("DELETE", 301)],
  [
    "Allow lists POST",
    "List records.Allow",
    /Allow is "GET, POST, OPTIONS"/,
    () => changeHeaders({ Allow: "GET, POST, OPTIONS" }),
  ],
  [
    "Allow does not list OPTIONS",
    "List records.Allow",
    /Allow is "GET"/,
    () => changeHeaders({ Allow: "GET" }),
  ],
  [
    "Allow lists PUT in the response to OPTIONS only",
    "List records.Allow",
    /OPTIONS: Allow is "GET, PUT"/,
    () => changeHeaders({ Allow: "GET, PUT" }, ({ method }) => method === "OPTIONS"),
  ],
  [
    "Allow does not list OPTIONS in the response to OPTIONS",
    "List records.Allow",
    /OPTIONS: Allow is "GET"/,
    () => changeHeaders({ Allow: "GET" }, ({ method }) => method === "OPTIONS"),
  ],
  [
    "Allow lists DELETE in an error response only",
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
    "Vary lists an additional header",
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
    "Content-Type is different on one page",
    "List records.Content-Type",
    /page=3: /,
    () => changeHeaders({ "Content-Type": "text/json" }, ({ page }) => page === "3"),
  ],
  ["OPTIONS is refused", "Options.method", /returned 405/, respondTo("OPTIONS", 405)],
  ["OPTIONS always fails", "Options.method", /returned 503; gave up after 4/, respondTo("OPTIONS", 503)],
  [
    "without page, the response is the last page",
    "List records.page default",
    /different records than page 1/,
    () => {
      service.envelope = (envelope, _, { page }) =>
        page === null ? { ...envelope, results: RECORDS.slice(30) } : envelope;
    },
  ],
  [
    "without page, the response is 404",
    "List records.page default",
    /returned 404/,
    () => changeReply(null, () => ({ status: 404 })),
  ],
  [
    "page 2 is the same as page 1",
    "List records.page",
    /page=2: has the same records as page 1/,
    () => {
      service.envelope = (envelope, number) =>
        number === 2 ? { ...envelope, results: RECORDS.slice(0, 15) } : envelope;
    },
  ],
  [
    "a page is cut off",
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
    "the last page is cut off",
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
    "an object has a name twice",
    "List records.body",
    /has the name "cars" twice/,
    () => changeText("2", '"cars":', '"cars":1,"cars":'),
  ],
  [
    "a page starts with a byte order mark",
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
    /page=2: returned 404/,
    () => changeReply("2", () => ({ status: 404 })),
  ],
  [
    "a page redirects",
    "List records.status",
    /returned 302 with Location "\?page=1"/,
    () => changeReply("2", () => ({ status: 302, headers: { Location: "?page=1" } })),
  ],
  [
    "a page returns 203",
    "List records.status",
    /returned 203/,
    () => changeReply("2", () => ({ status: 203 })),
  ],
  [
    "GET is not allowed on a page",
    "List records.method",
    /GET returned 405/,
    () => changeReply("2", () => ({ status: 405 })),
  ],
  [
    "the collection is at another path",
    "List records.path",
    /the path is "\/v2\/records\/"/,
    () => {
      service.path = "/v2/records/";
      service.reply = (reply, { target }) => {
        if (!target.startsWith(PATH)) return reply;
        return { ...reply, status: 308, headers: { Location: target.replace(PATH, "/v2/records/") } };
      };
    },
  ],
]);
