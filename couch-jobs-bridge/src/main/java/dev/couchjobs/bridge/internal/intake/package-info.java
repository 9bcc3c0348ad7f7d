/**
 * Imports the changes of CouchDB: reads documents, joins them into the store, and adds or removes the jobs that follow.
 * Calls steps and work items to stop what runs.
 */
@NullMarked
package dev.couchjobs.bridge.internal.intake;

import org.jspecify.annotations.NullMarked;
