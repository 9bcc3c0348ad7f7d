package dev.couchjobs.fdb.embedded;

/** What an acknowledged commit survives. */
public enum Durability {
    /**
     * Everything: a commit is acknowledged once the disk has confirmed it. Commits that come at the same time share the
     * wait.
     */
    SYNCED,

    /**
     * The end of this process, however sudden, but not always that of the machine: a commit is acknowledged once it has
     * been handed to the operating system, and is on disk a moment later. A crash of the machine may cost the last
     * commits, always as a whole and from the end; the database itself stays sound.
     */
    RELAXED
}
