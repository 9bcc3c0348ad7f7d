'use strict';
// node three.js [PORT]: three servers, in memory, on this port (5984) and the next two, until this process ends.

const path = require('path');
const { spawn } = require('child_process');

const first = Number(process.argv[2] || 5984);
for (const port of [first, first + 1, first + 2]) {
  // Each ends with its standard input, which ends with this process.
  spawn('node', [path.join(__dirname, 'server.js'), String(port)], { stdio: ['pipe', 'inherit', 'ignore'] });
}
