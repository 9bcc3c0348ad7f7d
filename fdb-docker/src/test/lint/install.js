'use strict';
// node install.js DIRECTORY: puts the linter there, with what it needs, from npm's cache where that has it.

const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');

const target = path.resolve(process.argv[2]);
const installed = path.join(target, 'node_modules', 'installed-package-lock.json');
const lock = path.join(__dirname, 'package-lock.json');

for (const part of ['lint.js', 'package.json', 'package-lock.json']) {
  fs.cpSync(path.join(__dirname, part), path.join(target, part));
}
if (!fs.existsSync(installed) || !fs.readFileSync(installed).equals(fs.readFileSync(lock))) {
  const command = 'npm ci --prefer-offline --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error';
  const { status } = spawnSync(command, { cwd: target, shell: true, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) {
    process.exit(1);
  }
  fs.copyFileSync(lock, installed);
}
