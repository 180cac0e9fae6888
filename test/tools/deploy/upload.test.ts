import { expect, test } from "vitest";
import { getAddress, getPreviewAddresses } from "../../../tools/deploy/upload.ts";

const WORKERS_DEV = "https://a.workers.dev";

// biome-ignore format: a table of cases
test.each([
  { name: "workers.dev", targets: [WORKERS_DEV, "schedule: 0 * * * *"], expected: WORKERS_DEV },
  { name: "a domain", targets: [WORKERS_DEV, "a.example (custom domain)"], expected: "https://a.example" },
  { name: "a domain with a letter that DNS does not have", targets: [WORKERS_DEV, "zähler.example (custom domain)"], expected: "https://xn--zhler-gra.example" },
  { name: "workers.dev if the domain is not for production", targets: [WORKERS_DEV, "a.example (custom domain) [production: disabled]"], expected: WORKERS_DEV },
  { name: "workers.dev if a route has only some paths", targets: [WORKERS_DEV, "a.example/tf1/*", "...and 2 more routes"], expected: WORKERS_DEV },
])("a deployment is checked at $name", ({ targets, expected }) =>
  expect(getAddress({ targets })).toBe(expected),
);

test.each([
  { name: "nothing", report: {} },
  { name: "a wildcard host", report: { targets: ["*.example/* (zone name: example)"] } },
])("a deployment to $name has no address that can be checked, and says what to set", ({ report }) =>
  expect(() => getAddress(report)).toThrow("Set PUBLIC_ORIGIN"),
);

test("a preview is checked at the address of its deployment, if wrangler reports one", () => {
  const [branch, deployment] = ["https://branch.example", "https://deployment.example"];
  const report = { preview_urls: [branch], deployment_urls: [deployment] };
  expect(getPreviewAddresses(report)).toEqual({ branch, deployment });
  expect(getPreviewAddresses({ preview_urls: [branch] })).toEqual({ branch, deployment: branch });
});

test.each([{}, { preview_urls: [] }])("a preview without an address says what to turn on: %j", (report) =>
  expect(() => getPreviewAddresses(report)).toThrow("Turn on preview URLs"),
);
