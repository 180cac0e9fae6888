import { describe, inject } from "vitest";
import { describeService } from "../http-suite/suite.ts";
import { createLiveTarget } from "./target.ts";

const deployment = inject("deployment");

describe(deployment.origin, () => describeService(createLiveTarget(deployment)));
