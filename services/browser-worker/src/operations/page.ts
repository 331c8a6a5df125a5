import type { Handlers, pageOperations } from "@holdfast/protocol";
import type { PageContext } from "./context.js";
import * as input from "./input.js";
import * as navigation from "./navigate.js";
import * as reading from "./read.js";

/** What each page operation does to the one page that it is handed. */
export const pageHandlers: Handlers<typeof pageOperations, PageContext> = {
  browser_navigate: navigation.navigate,
  browser_navigate_back: navigation.navigateBack,
  browser_snapshot: reading.snapshot,
  browser_take_screenshot: reading.takeScreenshot,
  browser_click: input.click,
  browser_type: input.type,
  browser_fill_form: input.fillForm,
  browser_press_key: input.pressKey,
  browser_hover: input.hover,
  browser_select_option: input.selectOption,
  browser_wait_for: reading.waitFor,
  browser_evaluate: reading.evaluate,
  browser_handle_dialog: input.handleDialog,
  browser_close: async (_request, { tab }) => {
    await tab.close();
    return { text: `Closed the tab ${tab.id}.` };
  },
};
