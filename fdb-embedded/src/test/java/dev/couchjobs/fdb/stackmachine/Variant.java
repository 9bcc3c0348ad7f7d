package dev.couchjobs.fdb.stackmachine;

/** On what an operation is done. */
enum Variant {
    /** On the current transaction. */
    TRANSACTION(""),
    /** On the snapshot view of the current transaction. */
    SNAPSHOT("_SNAPSHOT"),
    /** On the database: in a transaction of its own that is retried and committed. */
    DATABASE("_DATABASE");

    private final String ending;

    Variant(String ending) {
        this.ending = ending;
    }

    String ending() {
        return ending;
    }
}
