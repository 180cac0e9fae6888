import { parse } from "yaml";
import * as z from "zod";

// The part of the syntax of workflows that this project uses:
// https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax

const optional = z.string().optional();

const Step = z
  .strictObject({
    id: optional,
    if: optional,
    uses: optional,
    with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    run: z
      .string()
      .refine(
        (script) => !script.includes("${{"),
        "must get values as variables, not as a part of the script",
      )
      .optional(),
    env: z.record(z.string(), z.string()).optional(),
    shell: z.literal("bash").optional(),
  })
  .refine(
    ({ uses, run }) => (uses === undefined) !== (run === undefined),
    "must have either `uses` or `run`",
  );

const Concurrency = z.strictObject({ group: z.string(), "cancel-in-progress": z.boolean() });

const PERMISSIONS = ["contents", "pull-requests"] as const;

const Job = z
  .strictObject({
    if: optional,
    needs: z.string().optional(),
    uses: optional,
    "runs-on": z.literal("ubuntu-24.04").optional(),
    "timeout-minutes": z.int().min(1).max(60).optional(),
    environment: z.union([z.string(), z.strictObject({ name: z.string(), url: z.string() })]).optional(),
    permissions: z.partialRecord(z.enum(PERMISSIONS), z.enum(["read", "write"])).optional(),
    concurrency: Concurrency.optional(),
    outputs: z.record(z.string(), z.string()).optional(),
    steps: z.array(Step).min(1).optional(),
  })
  .refine(
    (job) =>
      job.uses === undefined
        ? job["runs-on"] && job["timeout-minutes"] && job.steps
        : !job["runs-on"] && !job["timeout-minutes"] && !job.steps,
    "must have `uses`, or `runs-on`, `timeout-minutes` and `steps`",
  );

const Event = z.strictObject({
  push: z.strictObject({ branches: z.array(z.string()) }).optional(),
  pull_request: z
    .strictObject({ types: z.array(z.enum(["opened", "synchronize", "reopened", "closed"])) })
    .optional(),
  schedule: z.array(z.strictObject({ cron: z.string().regex(/^(\S+ ){4}\S+$/) })).optional(),
  workflow_dispatch: z.null().optional(),
  workflow_call: z.null().optional(),
});

export const Workflow = z.strictObject({
  name: z.string(),
  on: z.union([z.literal("delete"), Event]),
  permissions: z.partialRecord(z.enum(PERMISSIONS), z.literal("read")),
  concurrency: Concurrency.optional(),
  jobs: z.record(z.string(), Job),
});

type Job = z.infer<typeof Job>;

const Action = z.strictObject({
  name: z.string(),
  description: z.string(),
  runs: z.strictObject({ using: z.literal("composite"), steps: z.array(Step).min(1) }),
});

/** Finds what is wrong with a workflow or with an action, one problem each. */
export function findProblems(text: string): string[] {
  const tree = parse(text);
  const { data, error } = ("runs" in tree ? Action : Workflow).safeParse(tree);
  if (error) return error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  const jobs: [string, Job][] = "jobs" in data ? Object.entries(data.jobs) : [];
  return jobs.flatMap(([name, job]) =>
    findUnknownNames(job, new Map(jobs)).map((unknown) => `jobs.${name}: ${unknown} is not known`),
  );
}

/** Finds names in the expressions of a job that mean nothing. */
function findUnknownNames(job: Job, jobs: Map<string, Job>): string[] {
  const { needs } = job;
  const isKnown = ([context = "", name = "", part, output = ""]: string[]) => {
    if (context === "needs")
      return name === needs && (part !== "outputs" || output in (jobs.get(name)?.outputs ?? {}));
    if (context === "steps") return job.steps?.some(({ id }) => id === name);
    return ["github", "vars", "secrets"].includes(context);
  };
  const expressions = JSON.stringify(job).matchAll(/\$\{\{(.*?)\}\}|"if":"(.*?)"/g);
  const unknown = [...expressions]
    .flatMap(
      ([, embedded, condition]) =>
        (embedded ?? condition ?? "").replaceAll(/'.*?'/g, "").match(/[\w.-]+\.[\w.-]+/g) ?? [],
    )
    .filter((path) => !isKnown(path.split(".")));
  return needs === undefined || jobs.has(needs) ? unknown : [...unknown, needs];
}
