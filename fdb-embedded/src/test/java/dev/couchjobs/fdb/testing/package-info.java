/** Test kit for code that takes its clock, timers and threads from outside: time that only moves when a test moves it. */
@NullMarked
package dev.couchjobs.fdb.testing;

import org.jspecify.annotations.NullMarked;
