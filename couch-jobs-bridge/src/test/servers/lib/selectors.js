'use strict';

const { Refusal } = require('./refusal');

const RANKS = ['undefined', 'null', 'boolean', 'number', 'string', 'array', 'object'];

function typeOf(value) {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

/** The order of values in CouchDB: first by type, then by value. Arrays and objects are compared as JSON. */
function compare(one, other) {
  const byType = RANKS.indexOf(typeOf(one)) - RANKS.indexOf(typeOf(other));
  if (byType) {
    return byType;
  }
  const [left, right] = typeof one === 'object' ? [JSON.stringify(one), JSON.stringify(other)] : [one, other];
  return left < right ? -1 : Number(left > right);
}

const equal = (one, other) => compare(one, other) === 0;

const CONDITIONS = {
  $eq: equal,
  $ne: (value, operand) => !equal(value, operand),
  $gt: (value, operand) => compare(value, operand) > 0,
  $gte: (value, operand) => compare(value, operand) >= 0,
  $lt: (value, operand) => compare(value, operand) < 0,
  $lte: (value, operand) => compare(value, operand) <= 0,
  $exists: (value, operand) => (value !== undefined) === operand,
  $type: (value, operand) => typeOf(value) === operand,
  $in: (value, operand) => operand.some((each) => [value].flat().some((part) => equal(part, each))),
  $nin: (value, operand) => !CONDITIONS.$in(value, operand),
  $all: (value, operand) => Array.isArray(value) && operand.every((each) => value.some((part) => equal(part, each))),
  $size: (value, operand) => Array.isArray(value) && value.length === operand,
  $regex: (value, operand) => typeof value === 'string' && new RegExp(operand).test(value),
  $elemMatch: (value, operand) => Array.isArray(value) && value.some((each) => matches(operand, each)),
  $not: (value, operand) => !matches(operand, value),
  $and: (value, operand) => operand.every((each) => matches(each, value)),
  $or: (value, operand) => operand.some((each) => matches(each, value)),
  $nor: (value, operand) => !operand.some((each) => matches(each, value)),
};

/** Whether a value meets a selector of _find. */
function matches(selector, value) {
  if (typeOf(selector) !== 'object') {
    return equal(value, selector);
  }
  return Object.entries(selector).every(([name, operand]) => {
    if (!name.startsWith('$')) {
      return matches(operand, member(value, name));
    }
    if (!CONDITIONS[name]) {
      throw new Refusal(400, 'invalid_operator', `Invalid operator: ${name}`);
    }
    return (value !== undefined || /^\$(exists|and|or|nor|not)$/.test(name)) && CONDITIONS[name](value, operand);
  });
}

function member(value, path) {
  return path.split('.').reduce((inner, name) => (inner === null ? undefined : inner?.[name]), value);
}

module.exports = { matches };
