// Runs old_python.py of this folder in Python 3.10 as WebAssembly: old_python.mjs PYODIDE CHECKOUT
import { createRequire } from "node:module";
import process from "node:process";

const [folder, checkout] = process.argv.slice(2);
const { loadPyodide } = createRequire(import.meta.url)(`${folder}/pyodide.js`);
const python = await loadPyodide({ indexURL: `${folder}/` });
python.FS.mkdir("/checkout");
python.FS.mount(python.FS.filesystems.NODEFS, { root: checkout }, "/checkout");
python.FS.mkdir("/worlds");
const program = `
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, "/checkout")
from tests.nodes.old_python import answer
answer("/checkout", "/worlds")`;
try {
  process.stdout.write(`\n${python.runPython(program)}\n`);
} catch (error) {
  // Not thrown: Node would print the line of the interpreter that threw, which has 1.5 million letters.
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
