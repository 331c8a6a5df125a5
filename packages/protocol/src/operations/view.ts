import { z } from "zod";
import { DEFAULT_VIEWER, token } from "../ids.js";
import { operation } from "../operation.js";
import { subjects } from "../subjects.js";
import { cursorShape } from "./project.js";

export const viewShape = z.object({
  viewerId: z.string(),
  workspaceId: z.string(),
  tabId: z.string().nullable(),
});
export type View = z.infer<typeof viewShape>;

const viewerId = token.default(DEFAULT_VIEWER).describe("Who looks; each viewer has one view.");

export const viewOperations = [
  operation({
    name: "view_select",
    lane: "control",
    subject: subjects.control("view_select"),
    owner: "task-control",
    answers: "state",
    sentence:
      "Moves what one viewer looks at; no cursor moves, unless the viewer of that project asks for it with interactive.",
    request: z.strictObject({
      workspaceId: token,
      tabId: token.optional().describe("By default the project's cursor."),
      viewerId,
      interactive: z
        .boolean()
        .default(false)
        .describe("Move the project's cursor too: for a viewer already looking at it."),
    }),
    response: z.object({ view: viewShape, cursor: cursorShape.nullable() }),
    failures: [
      "MCP_TAB_NOT_FOUND",
      "MCP_TAB_GONE",
      "MCP_QUEUE_FULL",
      "MCP_PROJECT_BUSY",
      "MCP_TASK_NEEDS_CHECK",
      "MCP_NO_WORKER",
    ],
  }),
  operation({
    name: "view_status",
    lane: "query",
    subject: subjects.query("view", "status"),
    owner: "task-control",
    answers: "state",
    sentence: "Tells what a viewer looks at, and where that project's cursor is: two values.",
    request: z.strictObject({ viewerId }),
    response: z.object({ view: viewShape.nullable(), cursor: cursorShape.nullable() }),
    failures: [],
  }),
] as const;
