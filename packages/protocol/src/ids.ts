import { z } from "zod";

/**
 * A name that may become a token of a NATS subject: 1 to 64 of `A-Z a-z 0-9 _ -`.
 * Checked before it touches a subject, so that no caller can address a wildcard or another project.
 */
export const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;

export const token = z
  .string()
  .regex(TOKEN, "must be 1 to 64 characters out of A-Z a-z 0-9 _ -")
  .meta({ description: "1 to 64 characters out of A-Z a-z 0-9 _ -" });

/** Stands where a subject wants a project and the operation is about all of them. */
export const ALL_PROJECTS = "_all";

export const DEFAULT_WORKSPACE = "default";
export const DEFAULT_PROFILE = "default";
export const DEFAULT_VIEWER = "person";

/** Where a project's work reads and types next. */
export interface ProjectCursor {
  readonly workspaceId: string;
  readonly profileId: string;
  readonly tabId: string;
}
