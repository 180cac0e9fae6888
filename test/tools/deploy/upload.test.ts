import { expect, test } from "vitest";
import { getAddress, getPreviewAddresses } from "../../../tools/deploy/upload.ts";

const WORKERS_DEV = "https://a.workers.dev";

// biome-ignore format: a table of cases
test.each([
  { name: "workers.dev", targets: [WORKERS_DEV, "schedule: 0 * * * *"], expected: WORKERS_DEV },
  { name: "a domain", targets: [WORKERS_DEV, "a.example (custom domain)"], expected: "https://a.example" },
  { name: "a domain with settings of its own", targets: [WORKERS_DEV, "a.example (custom domain) [production: enabled, previews: disabled]"], expected: "https://a.example" },
  { name: "a domain with a letter that DNS does not have", targets: [WORKERS_DEV, "zähler.example (custom domain)"], expected: "https://xn--zhler-gra.example" },
  { name: "workers.dev if the domain is not for production", targets: [WORKERS_DEV, "a.example (custom domain) [production: disabled]"], expected: WORKERS_DEV },
  { name: "workers.dev if a route has only some paths", targets: [WORKERS_DEV, "a.example/tf1/*", "https://a.example/tf1/*", "queue"], expected: WORKERS_DEV },
])("a deployment is checked at $name", ({ targets, expected }) =>
  expect(getAddress({ targets })).toBe(expected),
);

test("a preview is checked at the address of its deployment, if wrangler reports one", () => {
  const [branch, deployment] = ["https://branch.example", "https://deployment.example"];
  const report = { preview_urls: [branch], deployment_urls: [deployment] };
  expect(getPreviewAddresses(report)).toEqual({ branch, deployment });
  expect(getPreviewAddresses({ preview_urls: [branch] })).toEqual({ branch, deployment: branch });
});

// biome-ignore format: a table of cases
test.each<[report: string, read: () => unknown, advice: string]>([
  ["no target", () => getAddress({}), "Set PUBLIC_ORIGIN"],
  ["a wildcard host", () => getAddress({ targets: ["*.example/* (zone name: example)"] }), "Set PUBLIC_ORIGIN"],
  ["a preview without an address", () => getPreviewAddresses({ preview_urls: [] }), "Turn on preview URLs"],
])("a report of %s has no address that can be checked, and says what to set", (_, read, advice) =>
  expect(read).toThrow(advice),
);
