/**
 * Faults: a database whose commits, reads and watches go wrong as planned, and the contract of every verb under them.
 * For whoever brings another engine.
 */
@NullMarked
package dev.couchjobs.faults;

import org.jspecify.annotations.NullMarked;
