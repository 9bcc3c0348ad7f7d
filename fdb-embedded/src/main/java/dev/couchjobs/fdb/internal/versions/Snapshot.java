package dev.couchjobs.fdb.internal.versions;

/**
 * The contents at a version: all commits up to it, and none after it.
 *
 * @param stampVersion the version before which the stamp of a later commit cannot lie, as a client takes it. A cluster
 *     at rest hands out the version of its last commit; here versions follow the clock, but a stamped key must not
 *     become readable by that.
 */
public record Snapshot(long version, Contents contents, long stampVersion) {
    public Snapshot(long version, Contents contents) {
        this(version, contents, version);
    }
}
