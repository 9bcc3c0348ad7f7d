/** FoundationDB in a container, for tests: {@link dev.couchjobs.fdb.docker.FoundationDbContainer}. */
@NullMarked
package dev.couchjobs.fdb.docker;

import org.jspecify.annotations.NullMarked;
