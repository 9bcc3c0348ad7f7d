package dev.couchjobs.fdb.embedded;

/** The database as of a version: everything committed up to it, and nothing later. */
record Snapshot(long version, Contents data) {}
