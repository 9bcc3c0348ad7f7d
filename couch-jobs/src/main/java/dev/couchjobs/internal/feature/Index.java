package dev.couchjobs.internal.feature;

/** Rows that follow from the rows of jobs: a function of each row before and after a change. An index reads nothing. */
@FunctionalInterface
public interface Index {
    /** Writes what follows from changes, in the transaction that changes the jobs. */
    void write(Changes changes);
}
