// Looks at a page in the browser: node look.mjs BROWSER PROFILE URL WIDTH PICTURE EXPRESSION [SCHEME]
// Prints JSON: what EXPRESSION gives in the page, and what the page complained of.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

const [browser, profile, url, width, picture, expression, scheme = "light"] =
  process.argv.slice(2);
const program = spawn(
  browser,
  [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-zygote",
    "--single-process", "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank",
  ],
  { stdio: ["ignore", "ignore", "pipe"] },
);
const address = await new Promise((resolve, reject) => {
  let said = "";
  program.stderr.on("data", (data) => {
    said += data;
    const found = /ws:\/\/\S+/.exec(said);
    if (found) resolve(found[0]);
  });
  program.on("exit", (code, signal) =>
    reject(new Error(`the browser ended with ${signal ?? code}: ${said}`)),
  );
});
const socket = new WebSocket(address);
await new Promise((resolve, reject) => {
  socket.onopen = resolve;
  socket.onerror = (event) => reject(new Error(`no way to the browser: ${event.message}`));
});
let number = 0;
const waiting = new Map();
const events = new Map();
const complaints = [];
socket.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.id) waiting.get(message.id)(message.result ?? { error: message.error });
  if (message.method === "Log.entryAdded") complaints.push(message.params.entry.text);
  if (message.method === "Runtime.exceptionThrown") {
    complaints.push(message.params.exceptionDetails.text);
  }
  if (message.method === "Network.requestWillBeSent") {
    const asked = message.params.request.url;
    if (asked !== url && !asked.startsWith("data:")) complaints.push(`it asked for ${asked}`);
  }
  events.get(message.method)?.();
};
const call = (method, params = {}, sessionId = undefined) =>
  new Promise((resolve) => {
    number += 1;
    waiting.set(number, resolve);
    socket.send(JSON.stringify({ id: number, method, params, sessionId }));
  });
const { targetId } = await call("Target.createTarget", { url: "about:blank" });
const { sessionId } = await call("Target.attachToTarget", { targetId, flatten: true });
const page = (method, params) => call(method, params, sessionId);
for (const domain of ["Page", "Log", "Runtime", "Network"]) await page(`${domain}.enable`);
await page("Emulation.setDeviceMetricsOverride", {
  width: Number(width), height: 900, deviceScaleFactor: 1, mobile: false,
});
await page("Emulation.setEmulatedMedia", {
  features: [{ name: "prefers-color-scheme", value: scheme }],
});
const loaded = new Promise((resolve) => { events.set("Page.loadEventFired", resolve); });
await page("Page.navigate", { url });
await loaded;
const { result } = await page("Runtime.evaluate", { expression, returnByValue: true });
const { cssContentSize } = await page("Page.getLayoutMetrics");
const shot = await page("Page.captureScreenshot", {
  captureBeyondViewport: true,
  clip: { x: 0, y: 0, width: Number(width), height: cssContentSize.height, scale: 1 },
});
writeFileSync(picture, Buffer.from(shot.data, "base64"));
program.removeAllListeners("exit");
socket.close();
program.kill("SIGKILL");
console.log(JSON.stringify({ value: result?.value, complaints, height: cssContentSize.height }));
