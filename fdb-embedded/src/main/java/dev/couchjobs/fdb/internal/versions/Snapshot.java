package dev.couchjobs.fdb.internal.versions;

/** The database as of a version: everything committed up to it, and nothing later. */
public record Snapshot(long version, Contents data) {}
