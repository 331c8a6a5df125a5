import { chromium } from "playwright";
import { captureScript } from "./dist/recording/page/script.js";
import http from "node:http";
const body = `<!doctype html><html><head><title>x</title><link rel=icon href="data:,"></head><body><ul>${Array.from({length:2000},(_, i)=>`<li>item ${i}</li>`).join("\n")}</ul></body></html>`;
const s = http.createServer((q, r) => { r.setHeader("content-type","text/html"); r.setHeader("cache-control","no-store"); r.end(body); }).listen(0, "127.0.0.1");
await new Promise(r => s.once("listening", r));
const b = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const cfg = { binding: "__abc", marker: "m1" };
const kinds = {
  plain: async () => {},
  binding: async (c) => { await c.exposeBinding(cfg.binding, () => undefined); },
  empty: async (c) => { await c.addInitScript({ content: "1" }); },
  script: async (c) => { await c.exposeBinding(cfg.binding, () => undefined); await c.addInitScript({ content: captureScript(cfg, "new") }); },
};
const pages = {}; const out = {};
for (const [k, f] of Object.entries(kinds)) { const c = await b.newContext(); await f(c); pages[k] = await c.newPage(); out[k] = []; }
console.log("script bytes", captureScript(cfg, "new").length);
const load = async (p) => { await p.goto(`http://127.0.0.1:${s.address().port}/`); return p.evaluate(async () => { if (document.readyState !== "complete") await new Promise((resolve) => addEventListener("load", () => setTimeout(resolve))); const [e] = performance.getEntriesByType("navigation"); return e.loadEventEnd - e.responseStart; }); };
for (let i = 0; i < 60; i++) for (const k of Object.keys(kinds).sort(() => Math.random() - .5)) { await pages[k].bringToFront(); out[k].push(await load(pages[k])); }
for (const [k, v] of Object.entries(out)) { v.sort((a, b) => a - b); console.log(k, "p10", v[6].toFixed(1), "median", v[30].toFixed(1)); }
await b.close(); s.close();
