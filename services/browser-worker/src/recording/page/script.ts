import * as capture from "./capture.js";
import * as element from "./element.js";
import * as fields from "./fields.js";
import * as pointer from "./pointer.js";
import * as state from "./state.js";
import * as typing from "./typing.js";

/** All functions of the capture script, as the text of one scope in which they find each other by name. */
const FUNCTIONS = [element, fields, state, typing, pointer, capture].flatMap((part) => Object.values(part)).join("\n");

/** The capture script for documents to come (`new`), or for one that is there (`open`). */
export function captureScript(config: state.CaptureConfig, how: "new" | "open"): string {
  return `(() => {\n${FUNCTIONS}\nreturn begin(${JSON.stringify(config)}, ${JSON.stringify(how)});\n})()`;
}

export function endScript(config: state.CaptureConfig): string {
  return `(() => {\n${FUNCTIONS}\nreturn end(${JSON.stringify(config)});\n})()`;
}
