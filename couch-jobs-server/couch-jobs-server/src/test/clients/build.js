'use strict';
// node build.js DIRECTORY: compiles the client in TypeScript there, and its tests, with packages from npm's cache if
// possible.

const fs = require('fs');
const path = require('path');
const { createHash } = require('crypto');
const { spawnSync } = require('child_process');

const PARTS = [
  'src', 'test', 'examples', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.test.json', 'README.md',
];
const source = path.resolve(__dirname, '../../../../../clients/typescript');
const target = path.resolve(process.argv[2]);
const done = path.join(target, 'built');

/** Returns a digest of all files below a path. */
function digest(part) {
  const stat = fs.statSync(part);
  const content = stat.isDirectory()
    ? fs.readdirSync(part).sort().map((name) => name + digest(path.join(part, name))).join()
    : fs.readFileSync(part);
  return createHash('sha256').update(content).digest('hex');
}

function run(command) {
  const { status } = spawnSync(command, { cwd: target, shell: true, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) {
    process.exit(1);
  }
}

const wanted = PARTS.map((part) => digest(path.join(source, part))).join('\n');
if (!fs.existsSync(done) || fs.readFileSync(done, 'utf8') !== wanted) {
  fs.rmSync(done, { force: true });
  for (const part of PARTS) {
    fs.rmSync(path.join(target, part), { recursive: true, force: true });
    fs.cpSync(path.join(source, part), path.join(target, part), { recursive: true });
  }
  for (const part of ['dist', 'build']) {
    fs.rmSync(path.join(target, part), { recursive: true, force: true });
  }
  run('npm ci --prefer-offline --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error');
  run('node node_modules/typescript/bin/tsc');
  run('node node_modules/typescript/bin/tsc -p tsconfig.test.json');
  fs.writeFileSync(done, wanted);
}
