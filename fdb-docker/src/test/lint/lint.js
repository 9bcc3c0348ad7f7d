'use strict';
// node lint.js FILE: prints what is wrong with a Dockerfile, a line each; nothing if nothing is.

const fs = require('fs');
const { validate, ValidationSeverity } = require('dockerfile-utils');

const strict = {
  casingFrom: ValidationSeverity.ERROR,
  deprecatedMaintainer: ValidationSeverity.ERROR,
  emptyContinuationLine: ValidationSeverity.ERROR,
  instructionCasing: ValidationSeverity.ERROR,
  instructionCmdMultiple: ValidationSeverity.ERROR,
  instructionEntrypointMultiple: ValidationSeverity.ERROR,
  instructionHealthcheckMultiple: ValidationSeverity.ERROR,
  instructionJSONInSingleQuotes: ValidationSeverity.ERROR,
  instructionWorkdirRelative: ValidationSeverity.ERROR,
};
for (const { range, message } of validate(fs.readFileSync(process.argv[2], 'utf8'), strict)) {
  console.log(`${range.start.line + 1}: ${message}`);
}
