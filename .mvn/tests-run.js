'use strict';
// node tests-run.js MODULE DIRECTORY --since=TIME: prints how many tests of a module have run, as Surefire's reports in
// the directory count them that were written since a time in milliseconds; nothing if there are none.

const fs = require('fs');
const path = require('path');

const [module_, directory, since] = process.argv.slice(2);
const counted = ['tests', 'failures', 'errors', 'skipped'];
const sums = counted.map(() => 0);
const reports = fs.existsSync(directory)
  ? fs.readdirSync(directory)
      .filter((name) => name.startsWith('TEST-') && name.endsWith('.xml'))
      .filter((name) => fs.statSync(path.join(directory, name)).mtimeMs >= Number(since.split('=')[1]))
  : [];
for (const report of reports) {
  const suite = /<testsuite [^>]*>/.exec(fs.readFileSync(path.join(directory, report), 'utf8'))[0];
  counted.forEach((what, at) => {
    sums[at] += Number(new RegExp(` ${what}="(\\d+)"`).exec(suite)[1]);
  });
}
if (reports.length > 0) {
  const [tests, failures, errors, skipped] = sums;
  console.log(`Tests run: ${tests}, Failures: ${failures}, Errors: ${errors}, Skipped: ${skipped} - in ${module_}`);
}
