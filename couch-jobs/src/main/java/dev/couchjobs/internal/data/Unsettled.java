package dev.couchjobs.internal.data;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What one transaction has still to tell the dependents of jobs that ended in it, and how many of them it can tell. */
final class Unsettled {
    /** So that a transaction stays far from its five seconds and its ten megabytes, whatever else is written there. */
    static final int DEPENDENTS_MAX = 100;

    private final List<Release> releases = new ArrayList<>(); // guarded by this
    private int room = DEPENDENTS_MAX; // guarded by this
    private boolean passesOn; // guarded by this

    synchronized void add(Release release) {
        releases.add(release);
    }

    synchronized List<Release> takeAll() {
        List<Release> all = List.copyOf(releases);
        releases.clear();
        return all;
    }

    /** Takes those out of jobs that failed because of others in this transaction. */
    synchronized List<Release> takeOf(Set<JobRef> failed) {
        List<Release> some = releases.stream()
                .filter(release -> failed.contains(release.dependency()))
                .toList();
        releases.removeAll(some);
        return some;
    }

    synchronized int room() {
        return room;
    }

    synchronized void spend(int dependents) {
        room -= dependents;
    }

    /** Whether the transaction also tells the dependents of dependents that fail in it. */
    synchronized boolean passesOn() {
        return passesOn;
    }

    synchronized void passOn() {
        passesOn = true;
    }
}
