'use strict';
// node libraries.js WORK TARGET SBOM: installs the dashboard's libraries in WORK, copies what the browser loads to
// TARGET, and lists the libraries in SBOM, as CycloneDX does.

const fs = require('fs');
const path = require('path');
const { install } = require('./npm.js');

const [work, target, sbom] = process.argv.slice(2).map((directory) => path.resolve(directory));
const FILES = {
  'preact.mjs': 'preact/dist/preact.mjs',
  'preact-hooks.mjs': 'preact/hooks/dist/hooks.mjs',
  'htm.mjs': 'htm/dist/htm.mjs',
  'uplot.mjs': 'uplot/dist/uPlot.esm.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
};
const PACKAGES = ['preact', 'htm', 'uplot'];
// Another one needs a decision first, as in build/couch-jobs-release/pom.xml.
const LICENCES = ['Apache-2.0', 'MIT'];

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
const packages = PACKAGES.map((name) => JSON.parse(read(`${name}/package.json`)));
for (const { name, license } of packages) {
  if (!LICENCES.includes(license)) {
    throw new Error(`${name} has the licence ${license}, and may have: ${LICENCES.join(', ')}`);
  }
}
const licences = packages.map(
  ({ name, version, license }) => `${name} ${version} (${license})\n\n${read(`${name}/LICENSE`).trim()}\n`,
);
fs.writeFileSync(path.join(target, 'LICENSES.txt'), licences.join('\n\n'));
const components = packages.map(({ name, version, license }) => ({
  type: 'library',
  name,
  version,
  licenses: [{ license: { id: license } }],
  purl: `pkg:npm/${name}@${version}`,
}));
fs.mkdirSync(path.dirname(sbom), { recursive: true });
fs.writeFileSync(
  sbom,
  `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components }, null, 2)}\n`,
);
