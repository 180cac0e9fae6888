import { z } from "zod";

const API = "https://api.cloudflare.com/client/v4";

const Accounts = z.object({ accounts: z.array(z.object({ id: z.string() })) });

const Credentials = z.discriminatedUnion("type", [
  z.object({ type: z.enum(["api_token", "oauth"]), token: z.string() }),
  z.object({ type: z.literal("api_key"), key: z.string(), email: z.string() }),
]);

const Reply = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })),
  result: z.unknown(),
});

const Workers = z.array(z.object({ id: z.string() }));

const Settings = z.object({ bindings: z.array(z.record(z.string(), z.unknown())) });

/** Runs a command of wrangler and returns its output. */
type Wrangler = (args: string[]) => Promise<string>;

/** Reads from Cloudflare's API. The path continues that of the account, such as `/workers/scripts`. */
export type ReadApi = (path: string) => Promise<unknown>;

/**
 * Gives access to what wrangler has no command for, with the token or the login of wrangler.
 * @throws if the user is not logged in, or has several accounts and does not name one
 */
export async function createApiReader(wrangler: Wrangler): Promise<ReadApi> {
  const credentials = Credentials.parse(JSON.parse(await wrangler(["auth", "token", "--json"])));
  const account = process.env.CLOUDFLARE_ACCOUNT_ID || (await readOnlyAccount(wrangler));
  const headers: Record<string, string> =
    credentials.type === "api_key"
      ? { "X-Auth-Key": credentials.key, "X-Auth-Email": credentials.email }
      : { Authorization: `Bearer ${credentials.token}` };
  return async (path) => {
    const url = `${process.env.CLOUDFLARE_API_BASE_URL ?? API}/accounts/${account}${path}`;
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) });
    const { success, errors, result } = Reply.parse(await response.json());
    if (success) return result;
    const reasons = errors.map(({ code, message }) => `${message} [code: ${code}]`);
    throw new Error(`GET ${url} failed: ${reasons.join(", ")}`);
  };
}

async function readOnlyAccount(wrangler: Wrangler): Promise<string> {
  const { accounts } = Accounts.parse(JSON.parse(await wrangler(["whoami", "--json"])));
  const [account, ...others] = accounts;
  if (account && others.length === 0) return account.id;
  throw new Error("More than one account is available. Set CLOUDFLARE_ACCOUNT_ID.");
}

/** Reads the ids of all databases and namespaces that a worker of the account uses in production. */
export async function readUsedIds(read: ReadApi): Promise<Set<unknown>> {
  const used = new Set<unknown>();
  for (const { id } of Workers.parse(await read("/workers/scripts"))) {
    const { bindings } = Settings.parse(await read(`/workers/scripts/${encodeURIComponent(id)}/settings`));
    // A binding names its resource in `id`, `database_id` or `namespace_id`.
    for (const value of bindings.flatMap((binding) => Object.values(binding))) used.add(value);
  }
  return used;
}
