package dev.couchjobs.internal.health;

import com.apple.foundationdb.Database;

/** What a database is, in words for an operator. */
enum EngineName {
    CLUSTER("look whether the cluster is available, and whether this process reaches it", "the load of the cluster"),
    EMBEDDED(
            "look at the disk and the load of the process that has the database open, and at its log",
            "the disk and the load of the process that has the database open"),
    /** One that a program has wrapped. */
    UNKNOWN("look whether the database is available, and whether this process reaches it", "the load of the database");

    /** The client's class, which loads its native library: it is known by its name only. */
    private static final String CLIENT = "com.apple.foundationdb.FDBDatabase";

    private static final String EMBEDDED_PACKAGE = "dev.couchjobs.fdb.";

    private final String advice;
    private final String load;

    EngineName(String advice, String load) {
        this.advice = advice;
        this.load = load;
    }

    static EngineName of(Database database) {
        String name = database.getClass().getName();
        if (name.equals(CLIENT)) {
            return CLUSTER;
        }
        return name.startsWith(EMBEDDED_PACKAGE) ? EMBEDDED : UNKNOWN;
    }

    /** {@return what to do if it does not answer} */
    String advice() {
        return advice;
    }

    /** {@return where to look if it is slow} */
    String load() {
        return load;
    }
}
