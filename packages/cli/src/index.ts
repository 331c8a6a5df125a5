export { type Located, locateChromium, locateNatsServer } from "./locate.js";
export { type Program, setUp } from "./setup.js";
export { readEndpoint } from "./stack/endpoint.js";
export * from "./stack/options.js";
export { startStack } from "./stack/start.js";
