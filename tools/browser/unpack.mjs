// Unpacks the browser and its libraries from their package: node unpack.mjs PACKAGE TARGET
import { createReadStream, createWriteStream, chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";

const [from, to] = process.argv.slice(2);
mkdirSync(to, { recursive: true });
for (const name of ["chromium", "al2023.tar", "fonts.tar", "swiftshader.tar"]) {
  await pipeline(
    createReadStream(join(from, "bin", `${name}.br`)),
    createBrotliDecompress(),
    createWriteStream(join(to, name)),
  );
}
chmodSync(join(to, "chromium"), 0o755);
