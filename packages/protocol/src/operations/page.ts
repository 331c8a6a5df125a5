import { z } from "zod";
import { operation } from "../operation.js";
import { subjects } from "../subjects.js";
import {
  ACTION_TIMEOUT_MS,
  CHANGE_FAILURES,
  changeFields,
  elementAliases,
  elementFields,
  NAVIGATION_TIMEOUT_MS,
  PAGE_FAILURES,
  pageFields,
  pageResult,
  READ_TIMEOUT_MS,
  TIMEOUT_MS_MAX,
} from "./common.js";

/** What the operations that change a page have in common. */
const change = {
  lane: "mutation",
  subject: subjects.mutation(),
  owner: "browser-worker",
  response: pageResult,
  failures: CHANGE_FAILURES,
  answers: "page",
  timeoutMs: ACTION_TIMEOUT_MS,
} as const;

/** What the operations that act on one element have in common. */
const onElement = { ...change, failures: [...CHANGE_FAILURES, "MCP_STALE_REF"], aliases: elementAliases } as const;

/** What the reads of a page have in common. */
const read = {
  lane: "query",
  owner: "browser-worker",
  response: pageResult,
  failures: [...PAGE_FAILURES, "MCP_STALE_REF", "MCP_STOPPED"],
  answers: "page",
  aliases: elementAliases,
  timeoutMs: READ_TIMEOUT_MS,
} as const;

export const pageOperations = [
  operation({
    ...change,
    name: "browser_navigate",
    failures: [...CHANGE_FAILURES, "MCP_URL_DENIED"],
    sentence: "Loads an address in the tab and waits until the document is there.",
    timeoutMs: NAVIGATION_TIMEOUT_MS,
    opensTab: true,
    request: z.strictObject({ ...changeFields, url: z.string().min(1).describe("The address; https:// is assumed.") }),
  }),
  operation({
    ...change,
    name: "browser_navigate_back",
    sentence: "Goes back one step in the tab's history.",
    timeoutMs: NAVIGATION_TIMEOUT_MS,
    request: z.strictObject(changeFields),
  }),
  operation({
    ...read,
    name: "browser_snapshot",
    subject: subjects.query("browser", "snapshot"),
    sentence: "Reads the page as a tree of roles and names, with a ref for each element that can be acted on.",
    request: z.strictObject({
      ...pageFields,
      target: elementFields.target.optional().describe("Read only this element."),
      depth: z.int().min(1).max(100).optional().describe("Read only so many levels."),
      boxes: z.boolean().optional().describe("Add each element's box."),
    }),
  }),
  operation({
    ...read,
    name: "browser_take_screenshot",
    subject: subjects.query("browser", "take_screenshot"),
    sentence: "Takes a picture of the page or of one element.",
    request: z.strictObject({
      ...pageFields,
      element: elementFields.element,
      target: elementFields.target.optional().describe("Picture only this element."),
      type: z.enum(["png", "jpeg"]).default("png"),
      fullPage: z.boolean().optional().describe("The whole page instead of what is in view."),
      scale: z.enum(["css", "device"]).default("css"),
    }),
  }),
  operation({
    ...onElement,
    name: "browser_click",
    sentence: "Clicks an element.",
    request: z.strictObject({
      ...changeFields,
      ...elementFields,
      doubleClick: z.boolean().optional(),
      button: z.enum(["left", "right", "middle"]).optional(),
      modifiers: z.array(z.enum(["Alt", "Control", "ControlOrMeta", "Meta", "Shift"])).optional(),
    }),
  }),
  operation({
    ...onElement,
    name: "browser_type",
    sentence: "Types text into an element, replacing what is there.",
    secrets: ["text"],
    request: z.strictObject({
      ...changeFields,
      ...elementFields,
      text: z.string(),
      submit: z.boolean().optional().describe("Press Enter afterwards."),
      slowly: z.boolean().optional().describe("Key by key, for pages that listen to keys."),
    }),
  }),
  operation({
    ...onElement,
    name: "browser_fill_form",
    sentence: "Fills several fields at once.",
    secrets: ["fields"],
    request: z.strictObject({
      ...changeFields,
      fields: z
        .array(
          z.strictObject({
            ...elementFields,
            name: z.string().describe("The field in words."),
            type: z.enum(["textbox", "checkbox", "radio", "combobox", "slider"]),
            value: z.string().describe("For a checkbox `true` or `false`; for a combobox the option's text."),
          }),
        )
        .min(1)
        .max(100),
    }),
  }),
  operation({
    ...change,
    name: "browser_press_key",
    sentence: "Presses a key or a combination, such as Enter or Control+A.",
    request: z.strictObject({ ...changeFields, key: z.string().min(1).max(64) }),
  }),
  operation({
    ...onElement,
    name: "browser_hover",
    sentence: "Moves the pointer over an element.",
    request: z.strictObject({ ...changeFields, ...elementFields }),
  }),
  operation({
    ...onElement,
    name: "browser_select_option",
    sentence: "Chooses options of a select element by value or text.",
    request: z.strictObject({ ...changeFields, ...elementFields, values: z.array(z.string()).min(1) }),
  }),
  operation({
    ...change,
    name: "browser_wait_for",
    sentence: "Waits for a text to appear, for a text to go, or for a time.",
    timeoutMs: NAVIGATION_TIMEOUT_MS,
    readOnly: true,
    request: z.strictObject({
      ...changeFields,
      time: z
        .number()
        .min(0)
        .max(TIMEOUT_MS_MAX / 1000)
        .optional()
        .describe("Seconds."),
      text: z.string().min(1).optional(),
      textGone: z.string().min(1).optional(),
    }),
  }),
  operation({
    ...onElement,
    name: "browser_evaluate",
    sentence: "Runs a JavaScript function in the page, with the element as its argument if one is named.",
    timeoutMs: NAVIGATION_TIMEOUT_MS,
    request: z.strictObject({
      ...changeFields,
      element: elementFields.element,
      target: elementFields.target.optional(),
      function: z.string().min(1).describe("`() => value`, or `(element) => value` with a target."),
    }),
  }),
  operation({
    ...change,
    name: "browser_handle_dialog",
    sentence: "Answers the dialog that is open on the tab.",
    despiteDialog: true,
    request: z.strictObject({ ...changeFields, accept: z.boolean(), promptText: z.string().optional() }),
  }),
  operation({
    ...change,
    name: "browser_close",
    sentence: "Closes the tab; the cursor goes back to the tab that opened it, if that is still there.",
    request: z.strictObject(pageFields),
    closesTab: true,
    despiteDialog: true,
  }),
] as const;
