import { randomUUID } from "node:crypto";
import type { Api } from "./route.ts";
import { type ApiRequest, type Route, throwApiError } from "./route.ts";

const WORKER = "/workers/workers/traffic-count-records";
const SCRIPT = "/workers/scripts/traffic-count-records";

/** The worker, its previews, versions and deployments. */
export const WORKER_ROUTES: Route[] = [
  [RegExp(`^GET ${WORKER}/previews/([^/]+)$`), ({ api }, name) => findPreview(api, name)],
  [
    RegExp(`^POST ${WORKER}/previews\\?ignore_base_config=true$`),
    ({ api, body }) => addPreview(api, JSON.parse(body).name),
  ],
  [RegExp(`^PATCH ${WORKER}/previews/([^/]+)$`), ({ api }, name) => findPreview(api, name)],
  [
    RegExp(`^DELETE ${WORKER}/previews/([^/]+)$`),
    ({ api }, name) => findPreview(api, name) && api.previews.delete(name),
  ],
  [
    RegExp(`^GET ${WORKER}/previews/[^/]+/deployments/latest$`),
    () => throwApiError(404, 10222, "no deployment"),
  ],
  [
    RegExp(`^POST ${WORKER}/previews/[^/]+/deployments$`),
    (request) => ({ id: addVersion(request), urls: [request.api.origin], env: {} }),
  ],
  [
    RegExp(`^GET ${WORKER}$`),
    ({ api }) => ({ previews_base_config: {}, subdomain: api.versions.length > 0 ? ON : OFF }),
  ],
  [RegExp(`^POST ${SCRIPT}/assets-upload-session$`), () => ({ jwt: "jwt", buckets: [] })],
  [/^GET \/workers\/services\/traffic-count-records$/, ({ api }) => findService(api)],
  [RegExp(`^GET ${SCRIPT}/deployments$`), ({ api }) => ({ deployments: listDeployments(api) })],
  [
    RegExp(`^POST ${SCRIPT}/deployments(\\?.*)?$`),
    ({ api, body }) => deployVersion(api, JSON.parse(body).versions[0].version_id),
  ],
  [RegExp(`^GET ${SCRIPT}/versions\\?deployable=true$`), ({ api }) => ({ items: listVersions(api) })],
  [RegExp(`^GET ${SCRIPT}/versions/([^/]+)$`), (_, id) => describeVersion(id)],
  [
    RegExp(`^PUT ${SCRIPT}\\?`),
    (request) => ({ id: "x", deployment_id: addVersion(request).replaceAll("-", "") }),
  ],
  [
    RegExp(`^POST ${SCRIPT}/versions\\?`),
    ({ body }) => ({ id: storeUpload(body), resources: { script: { etag: "x" } } }),
  ],
  [RegExp(`^(PATCH|GET) ${SCRIPT}/(script-)?settings$`), () => ({ bindings: [] })],
  [RegExp(`^POST ${SCRIPT}/subdomain$`), () => ON],
  [RegExp(`^PUT ${SCRIPT}/schedules$`), ({ api, body }) => putSchedules(api, JSON.parse(body))],
  [RegExp(`^GET ${SCRIPT}/secrets$`), () => []],
  [/^GET \/workers\/scripts$/, () => [{ id: "another-worker" }]],
  [/^GET \/workers\/scripts\/another-worker\/settings$/, () => ({ bindings: [] })],
  [
    /^GET \/workers\/subdomain$/,
    ({ api }) => (api.hasSubdomain ? { subdomain: "example" } : throwApiError(404, 10007, "no subdomain")),
  ],
];

const ON = { enabled: true, previews_enabled: true };
const OFF = { enabled: false, previews_enabled: false };

function addPreview(api: Api, name: string) {
  api.previews.add(name);
  return findPreview(api, name);
}

function findPreview({ previews, origin }: Api, name: string) {
  if (!previews.has(name)) throwApiError(404, 10025, "This preview does not exist");
  return { id: name, name, slug: name, urls: [origin] };
}

function findService({ versions }: Api) {
  if (versions.length === 0) throwApiError(404, 10090, "This service does not exist");
  return {
    default_environment: {
      environment: "production",
      script: { tag: "tag", tags: [], last_deployed_from: "wrangler" },
    },
  };
}

/** The metadata of each uploaded version, by its id. */
const uploads = new Map<string, string>();

function storeUpload(body: string): string {
  const [metadata = ""] = /\{"main_module".*/.exec(body) ?? [];
  const id = randomUUID();
  uploads.set(id, metadata);
  return id;
}

function addVersion({ api, body }: ApiRequest): string {
  const id = storeUpload(body);
  deployVersion(api, id);
  return id;
}

function deployVersion(api: Api, id: string) {
  api.versions.push({ id, metadata: uploads.get(id) ?? "" });
  return { id: randomUUID() };
}

function putSchedules(api: Api, schedules: { cron: string }[]) {
  if (schedules.length > api.cronTriggers)
    throwApiError(400, 10072, "You have exceeded the limit of 5 cron triggers");
  api.schedules = schedules.map(({ cron }) => cron);
  return { schedules };
}

/** The versions that were deployed, each once. */
function listVersions({ versions }: Api) {
  const metadata = { created_on: "2026-11-21T00:00:00Z", source: "wrangler" };
  return [...new Set(versions.map(({ id }) => id))].map((id) => ({
    id,
    number: 1,
    metadata,
    annotations: {},
  }));
}

/** Newest first. */
function listDeployments({ versions }: Api) {
  if (versions.length === 0) throwApiError(404, 10007, "This Worker does not exist on your account.");
  return versions
    .map(({ id }, index) => ({
      id: `deployment-${index}`,
      created_on: `2026-11-21T00:00:0${index}Z`,
      source: "wrangler",
      author_email: "test@example.org",
      versions: [{ version_id: id, percentage: 100 }],
    }))
    .reverse();
}

function describeVersion(id: string) {
  const metadata = {
    created_on: "2026-11-21T00:00:00Z",
    author_email: "test@example.org",
    source: "wrangler",
  };
  return {
    id,
    number: 1,
    metadata,
    annotations: {},
    resources: { bindings: [], script: {}, script_runtime: {} },
  };
}
