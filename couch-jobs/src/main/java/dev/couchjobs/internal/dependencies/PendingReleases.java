package dev.couchjobs.internal.dependencies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.internal.rows.JobRef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The release notices that one transaction has still to deliver, and how many dependents it may still notify. */
final class PendingReleases {
    /** Keeps a transaction far from the limits of five seconds and ten megabytes, whatever else it writes. */
    static final int DEPENDENTS_MAX = 100;

    @GuardedBy("this") private final List<ReleaseNotice> notices = new ArrayList<>();

    /** The waiter groups of jobs that the transaction has removed. */
    @GuardedBy("this") private final Map<JobRef, Long> expected = new LinkedHashMap<>();

    @GuardedBy("this") private int remainingCapacity = DEPENDENTS_MAX;

    @GuardedBy("this") private boolean isTransitive;

    synchronized void add(ReleaseNotice notice) {
        notices.add(notice);
    }

    synchronized void addExpected(JobRef removed, long group) {
        expected.put(removed, group);
    }

    synchronized Map<JobRef, Long> takeExpected() {
        Map<JobRef, Long> taken = new LinkedHashMap<>(expected);
        expected.clear();
        return taken;
    }

    synchronized List<ReleaseNotice> takeAll() {
        List<ReleaseNotice> taken = List.copyOf(notices);
        notices.clear();
        return taken;
    }

    /** Takes the notices of jobs that this transaction failed because of a dependency. */
    synchronized List<ReleaseNotice> takeFor(Set<JobRef> failed) {
        List<ReleaseNotice> taken = notices.stream()
                .filter(notice -> failed.contains(notice.dependency()))
                .toList();
        notices.removeAll(taken);
        return taken;
    }

    synchronized int remainingCapacity() {
        return remainingCapacity;
    }

    synchronized void consume(int dependents) {
        remainingCapacity -= dependents;
    }

    /** Whether the transaction also notifies the dependents of dependents that it fails. */
    synchronized boolean isTransitive() {
        return isTransitive;
    }

    synchronized void enableTransitive() {
        isTransitive = true;
    }
}
