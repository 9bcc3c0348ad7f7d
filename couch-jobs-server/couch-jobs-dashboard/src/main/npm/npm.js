'use strict';
// node npm.js PACKAGE DIRECTORY: installs what the package of that directory depends on, from npm's cache if possible.

const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');

/** The lock file has the checksum of each package, and npm compares them. No script of a package is run. */
function install(source, target) {
  const installed = path.join(target, 'node_modules', 'installed-package-lock.json');
  const lock = path.join(source, 'package-lock.json');
  if (fs.existsSync(installed) && fs.readFileSync(installed).equals(fs.readFileSync(lock))) {
    return;
  }
  for (const part of ['package.json', 'package-lock.json']) {
    fs.cpSync(path.join(source, part), path.join(target, part));
  }
  const command = 'npm ci --prefer-offline --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error';
  const { status } = spawnSync(command, { cwd: target, shell: true, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) {
    process.exit(1);
  }
  fs.copyFileSync(lock, installed);
}

module.exports = { install };

if (require.main === module) {
  install(path.resolve(process.argv[2]), path.resolve(process.argv[3]));
}
