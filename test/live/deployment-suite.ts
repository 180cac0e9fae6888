import { describe, inject } from "vitest";
import { describeHttpSuite } from "../http-suite/suite.ts";
import { createLiveTarget } from "./target.ts";

const deployment = inject("deployment");

describe(deployment.origin, () => describeHttpSuite(createLiveTarget(deployment)));
