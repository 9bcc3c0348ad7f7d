'use strict';
// node install.js DIRECTORY: installs the servers and their dependencies there, from npm's cache if possible.

const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');

const target = path.resolve(process.argv[2]);
const installed = path.join(target, 'node_modules', 'installed-package-lock.json');
const lock = path.join(__dirname, 'package-lock.json');

for (const part of ['server.js', 'three.js', 'lib', 'package.json', 'package-lock.json']) {
  fs.cpSync(path.join(__dirname, part), path.join(target, part), { recursive: true });
}
if (!fs.existsSync(installed) || !fs.readFileSync(installed).equals(fs.readFileSync(lock))) {
  // All binaries are prebuilt, so no scripts of packages are run.
  const command = 'npm ci --prefer-offline --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error';
  const { status } = spawnSync(command, { cwd: target, shell: true, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) {
    process.exit(1);
  }
  fs.copyFileSync(lock, installed);
}
