import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import {
  type AddRoute,
  type Binding,
  type Cloudflare,
  createApiError,
  type Upload,
} from "./cloudflare-api.ts";

const ON = { enabled: true, previews_enabled: true };

/** Gets the newest version of the worker of production, or the one before it. */
export function getVersion({ workers }: Cloudflare, { isPrevious = false }): string | undefined {
  const [, uploads] = [...workers].find(([name]) => !name.includes("/")) ?? [];
  return uploads?.at(isPrevious ? -2 : -1)?.id;
}

function find({ workers }: Cloudflare, name: string, code = 10007): Upload[] {
  const uploads = workers.get(name);
  if (!uploads) throw createApiError(code, `${name} does not exist`);
  return uploads;
}

async function addUpload({ workers }: Cloudflare, name: string, { req }: Context) {
  const id = randomUUID();
  const [line = "{}"] = /\{"main_module".*|\{.*"env":.*/.exec(await req.text()) ?? [];
  const { bindings = [], env = {}, annotations } = JSON.parse(line);
  const uploads = workers.get(name) ?? [];
  const before = uploads.at(-1)?.bindings ?? [];
  const inherit = (binding: Binding) => {
    if (binding.type !== "inherit") return binding;
    const inherited = before.find((other) => other.name === binding.name);
    if (!inherited) throw createApiError(10021, `no binding ${binding.name} to inherit`);
    return inherited;
  };
  const ofPreview = Object.entries<Binding>(env).map(([name, binding]) => ({ ...binding, name }));
  uploads.push({
    id,
    created_on: new Date().toISOString(),
    bindings: [...bindings.map(inherit), ...ofPreview],
    tag: annotations?.["workers/tag"],
    message: annotations?.["workers/message"],
  });
  workers.set(name, uploads);
  return { id, deployment_id: id.replaceAll("-", ""), resources: { script: { etag: "x" } } };
}

/** The subdomain, and the worker with its versions and deployments. */
export function addWorkers(add: AddRoute, api: Cloudflare): void {
  const name = ({ req }: Context) => String(req.param("name"));
  const script = "/workers/scripts/:name";
  add("get", "/workers/subdomain", () => {
    if (api.subdomain === undefined) throw createApiError(10007, "no subdomain");
    return { subdomain: api.subdomain };
  });
  add("get", "/workers/subdomains/:name", () => {
    throw createApiError(10032, "This subdomain is available");
  });
  add("put", "/workers/subdomain", async ({ req }) => {
    api.subdomain = (await req.json()).subdomain;
    return { subdomain: api.subdomain };
  });
  add("get", "/workers/services/:name", (c) => {
    find(api, name(c), 10090);
    return { default_environment: { script: { last_deployed_from: api.lastDeployedFrom } } };
  });
  add("delete", "/workers/services/:name", (c) => void api.workers.delete(name(c)));
  add("get", `${script}/references`, () => ({}));
  add("get", "/workers/tails/by-consumer/:name", () => []);
  add("get", "/workers/durable_objects/namespaces", () => []);
  add("put", `${script}/routes`, () => []);
  add("get", `${script}/settings`, (c) => ({ bindings: find(api, name(c)).at(-1)?.bindings ?? [] }));
  add("patch", `${script}/script-settings`, () => ({}));
  add("post", `${script}/assets-upload-session`, () => ({ jwt: "jwt", buckets: [] }));
  add("put", script, (c) => addUpload(api, name(c), c));
  add("post", `${script}/versions`, (c) => addUpload(api, name(c), c));
  add("get", `${script}/deployments`, (c) => ({
    deployments: find(api, name(c))
      .map(({ id, created_on, message }, index, uploads) => {
        const before = uploads[index - 1]?.id;
        const share = before === undefined ? 100 : api.newestShare;
        const others = share === 100 ? [] : [{ version_id: before, percentage: 100 - share }];
        const versions = [{ version_id: id, percentage: share }, ...others];
        return { id, created_on, versions, annotations: { "workers/message": message } };
      })
      .reverse(),
  }));
  add("get", `${script}/versions/:id`, (c) => {
    const upload = find(api, name(c)).find(({ id }) => id === c.req.param("id"));
    const { id, created_on, bindings } = upload ?? {};
    return { id, metadata: { created_on }, resources: { bindings } };
  });
  add("post", `${script}/deployments`, () => ({ id: randomUUID() }));
  add("post", `${script}/subdomain`, () => ON);
  add("get", `${script}/secrets`, () => []);
}

export function addPreviews(add: AddRoute, api: Cloudflare): void {
  const worker = "/workers/workers/:worker";
  const previews = `${worker}/previews`;
  const key = ({ req }: Context) => `${req.param("worker")}/${req.param("name")}`;
  const describe = (name: string) => ({ id: name, name, slug: name, urls: [api.origin] });
  add("post", "/workers/workers", async ({ req }) => void api.workers.set((await req.json()).name, []));
  add("get", worker, () => ({ previews_base_config: {}, subdomain: ON }));
  for (const method of ["get", "patch"] as const)
    add(method, `${previews}/:name`, (c) => {
      find(api, String(c.req.param("worker")));
      find(api, key(c), 10025);
      return describe(String(c.req.param("name")));
    });
  add("post", previews, async ({ req }) => describe((await req.json()).name));
  add("post", `${previews}/:name/deployments`, async (c) => ({
    ...(await addUpload(api, key(c), c)),
    urls: [api.origin],
    env: {},
  }));
  add("get", `${previews}/:name/deployments/latest`, (c) => ({
    id: find(api, key(c), 10222).at(-1)?.id,
    env: {},
  }));
  add("delete", `${previews}/:name`, (c) => {
    find(api, key(c), 10025);
    api.workers.delete(key(c));
  });
}
