/**
 * Build the page's one module and its stylesheet; print what they weigh. With
 * `--if-stale` only where a source is newer than what was built of it.
 */

import { build } from "esbuild";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { minify } from "terser";
import { ownNames } from "./names.mjs";

const widgets = new URL(".", import.meta.url).pathname;
const outdir = `${widgets}teachgraph_widgets/static/`;

const FILES = ["widget.js", "widget.css", "charts.js"];

function isStale() {
  const bundle = FILES.map((name) => outdir + name);
  if (!bundle.every((file) => existsSync(file))) return true;
  const settings = readdirSync(widgets).filter((name) => /\.(json|mjs)$/.test(name));
  const inside = readdirSync(`${widgets}src`, { recursive: true });
  const sources = [...settings, ...inside.map((name) => `src/${name}`)];
  const changed = (file) => statSync(file).mtimeMs;
  const built = Math.min(...bundle.map(changed));
  return sources.some((name) => changed(widgets + name) > built);
}

if (process.argv.includes("--if-stale") && !isStale()) process.exit();

const entry = (...lines) => ({ contents: lines.join("\n"), resolveDir: widgets });

/** In the charts, a module of which `shared.ts` lends parts is those parts, as lent. */
function borrowed() {
  const imports = /^import \{ (.+) \} from "\.\/(.+)";$/gm;
  const lent = readFileSync(`${widgets}src/shared.ts`, "utf8").matchAll(imports);
  const parts = new Map([...lent].map(([, names, path]) => [`${widgets}src/${path}.ts`, names]));
  const lines = (names) =>
    names.split(", ").map((name) => `export const ${name} = lent.${name};`);
  return {
    name: "borrowed",
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const names = parts.get(path);
        return names && { contents: lines(names).join("\n") };
      }),
  };
}

const names = ownNames(widgets);
const shared = {
  absWorkingDir: widgets,
  bundle: true,
  target: "es2022",
  minify: true,
  charset: "utf8",
  legalComments: "none",
  ...(names.length > 0 && { mangleProps: new RegExp(`^(${names.join("|")})$`) }),
};

// What zips looks back 32 kB for what is alike: all of the state comes first, together.
const { mangleCache } = await build({
  ...shared,
  stdin: entry(
    'import "./src/state/entity"; import "./src/state/trace";',
    'export * from "./src/widget"; export { default } from "./src/widget";',
  ),
  outfile: `${outdir}widget.js`,
  format: "esm",
  mangleCache: {},
});
// What is loaded later knows what is there by the same short names. It is a variable,
// so that a page of one script can have it as well, and a function of what it is lent.
await build({
  ...shared,
  stdin: entry('import { save, views } from "./src/charts"; charts = { save, views };'),
  outfile: `${outdir}charts.js`,
  format: "esm",
  banner: { js: "var teachgraph_charts=lent=>{var charts;" },
  footer: { js: "return charts}" },
  mangleCache,
  plugins: [borrowed()],
});
await build({
  entryPoints: { widget: "src/style.css" },
  absWorkingDir: widgets,
  minify: true,
  charset: "utf8",
  outdir,
});

// A second pass inlines and names more tightly: 2 kB less when zipped. None of our
// getters does anything but tell. What makes the text shorter and no two of its places
// alike makes the zipped file longer: such rewritings are off.
const COMPRESS = {
  passes: 3,
  pure_getters: true,
  conditionals: false,
  if_return: false,
  inline: 1,
  lhs_constants: false,
  // Nobody hands a symbol to `String`, or gives the browser's classes other methods.
  unsafe: true,
};
for (const name of ["widget.js", "charts.js"]) {
  const file = outdir + name;
  const { code } = await minify(readFileSync(file, "utf8"), {
    module: name === "widget.js",
    ecma: 2020,
    // A copy: the minifier writes into it what else it is told.
    compress: { ...COMPRESS },
  });
  writeFileSync(file, code);
}

for (const name of FILES) {
  const bytes = readFileSync(outdir + name);
  const zipped = gzipSync(bytes, { level: 9 }).length;
  console.log(`${name}: ${bytes.length} bytes, ${zipped} gzipped`);
}
