package dev.couchjobs.fdb.internal.versions;

/** The contents at a version: all commits up to it, and none after it. */
public record Snapshot(long version, Contents contents) {}
