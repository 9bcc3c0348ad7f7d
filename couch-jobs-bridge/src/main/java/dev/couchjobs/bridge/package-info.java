/** Job documents in CouchDB, in steps aimed at particular nodes, run by couch-jobs. */
@NullMarked
package dev.couchjobs.bridge;

import org.jspecify.annotations.NullMarked;
