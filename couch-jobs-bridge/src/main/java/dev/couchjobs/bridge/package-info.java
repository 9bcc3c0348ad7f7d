/** Runs job documents of CouchDB by couch-jobs, with steps for particular nodes. */
@NullMarked
package dev.couchjobs.bridge;

import org.jspecify.annotations.NullMarked;
