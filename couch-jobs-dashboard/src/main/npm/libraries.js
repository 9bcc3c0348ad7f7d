'use strict';
// node libraries.js WORK TARGET: installs the dashboard's libraries in WORK, and copies what the browser loads to TARGET.

const fs = require('fs');
const path = require('path');
const { install } = require('./npm.js');

const [work, target] = process.argv.slice(2).map((directory) => path.resolve(directory));
const FILES = {
  'preact.mjs': 'preact/dist/preact.mjs',
  'preact-hooks.mjs': 'preact/hooks/dist/hooks.mjs',
  'htm.mjs': 'htm/dist/htm.mjs',
  'uplot.mjs': 'uplot/dist/uPlot.esm.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
};
const PACKAGES = ['preact', 'htm', 'uplot'];

function read(file) {
  return fs.readFileSync(path.join(work, 'node_modules', file), 'utf8');
}

/** A browser finds no package by its name, and the maps of the sources are not served. */
function forBrowsers(text) {
  return text.replace(/from\s*"preact"/g, 'from"./preact.mjs"').replace(/^\/\/# sourceMappingURL=.*$/m, '');
}

install(__dirname, work);
fs.rmSync(target, { recursive: true, force: true });
fs.mkdirSync(target, { recursive: true });
for (const [name, file] of Object.entries(FILES)) {
  const text = forBrowsers(read(file));
  const unresolved = name.endsWith('.mjs') && /\bfrom\s*"(?!\.\/)[\w@./-]+"/.exec(text);
  if (unresolved) {
    throw new Error(`${file} imports what no browser finds: ${unresolved[0]}`);
  }
  fs.writeFileSync(path.join(target, name), text);
}
const licences = PACKAGES.map((name) => {
  const { version, license } = JSON.parse(read(`${name}/package.json`));
  return `${name} ${version} (${license})\n\n${read(`${name}/LICENSE`).trim()}\n`;
});
fs.writeFileSync(path.join(target, 'LICENSES.txt'), licences.join('\n\n'));
