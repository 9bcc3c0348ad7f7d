/**
 * For tests of code that uses couch-jobs: {@link dev.couchjobs.testing.JobsTestKit} has everything in memory, on the
 * test's own thread and at the test's own time.
 */
@NullMarked
package dev.couchjobs.testing;

import org.jspecify.annotations.NullMarked;
