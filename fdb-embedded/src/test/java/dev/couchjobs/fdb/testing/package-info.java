/** What the suites need to reach a running cluster. */
@NullMarked
package dev.couchjobs.fdb.testing;

import org.jspecify.annotations.NullMarked;
