import {
  executionKind,
  executionState,
  newTabPolicy,
  operationOutcome,
  profileShape,
  verdict,
} from "@holdfast/protocol";
import { z } from "zod";
import type { ProjectState } from "./core/state.js";

/** The stored form of `ProjectState`. The two are held together by the compiler, below. */
const tabOfProfile = z.object({ profileId: z.string(), tabId: z.string() });

const execution = z.object({
  kind: executionKind,
  id: z.string(),
  profileId: z.string(),
  goal: z.string(),
  owner: z.string(),
  newTab: newTabPolicy.nullable(),
  state: executionState,
  since: z.string(),
  endedAt: z.string().nullable(),
  result: z.string().nullable(),
  cut: z
    .object({
      interrupted: z.object({ operationId: z.string(), outcome: operationOutcome }).nullable(),
      discarded: z.int(),
    })
    .nullable(),
});

const operation = {
  operationId: z.string(),
  operation: z.string(),
  taskId: z.string().nullable(),
  tabId: z.string().nullable(),
  at: z.string(),
};

export const projectState = z.object({
  workspaceId: z.string(),
  open: z.boolean(),
  profiles: z.array(profileShape),
  newTab: newTabPolicy,
  cursor: tabOfProfile.nullable(),
  execution: execution.nullable(),
  endedExecutions: z.array(execution),
  pending: z.array(z.object({ ...operation, fingerprint: z.string() })),
  ended: z.array(
    z.object({
      ...operation,
      outcome: operationOutcome,
      verdict: verdict.nullable(),
      verdictBy: z.string().optional(),
      verdictAt: z.string().optional(),
    }),
  ),
  generation: z.int(),
  quit: z.object({ quitId: z.string(), phase: z.enum(["asked", "closing"]), at: z.string() }).nullable(),
}) satisfies z.ZodType<ProjectState>;
