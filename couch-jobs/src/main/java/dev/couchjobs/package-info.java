/** Background jobs on FoundationDB, after CouchDB's RFC 007. Start from {@link dev.couchjobs.CouchJobs}. */
@NullMarked
package dev.couchjobs;

import org.jspecify.annotations.NullMarked;
