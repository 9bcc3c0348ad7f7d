package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Transaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.ReleaseRecorder;
import dev.couchjobs.internal.data.RowChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The dependents that one transaction has still to settle, and how many of them it can settle. */
final class PendingReleases implements ReleaseRecorder {
    /** So that a transaction stays far from its five seconds and its ten megabytes, whatever else is written there. */
    static final int DEPENDENTS_MAX = 100;

    @GuardedBy("this") private final List<ReleaseNotice> notices = new ArrayList<>();

    @GuardedBy("this") private int remainingCapacity = DEPENDENTS_MAX;

    @GuardedBy("this") private boolean isTransitive;

    @Override
    public @Nullable JobRow record(Transaction tx, RowChange told, @Nullable JobRow kept) {
        return ReleaseOutbox.leave(tx, told, kept);
    }

    synchronized void add(ReleaseNotice notice) {
        notices.add(notice);
    }

    synchronized List<ReleaseNotice> takeAll() {
        List<ReleaseNotice> all = List.copyOf(notices);
        notices.clear();
        return all;
    }

    /** Takes those out of jobs that failed because of others in this transaction. */
    synchronized List<ReleaseNotice> takeOf(Set<JobRef> failed) {
        List<ReleaseNotice> some = notices.stream()
                .filter(notice -> failed.contains(notice.dependency()))
                .toList();
        notices.removeAll(some);
        return some;
    }

    synchronized int remainingCapacity() {
        return remainingCapacity;
    }

    synchronized void consume(int dependents) {
        remainingCapacity -= dependents;
    }

    /** Whether the transaction also settles the dependents of dependents that fail in it. */
    synchronized boolean isTransitive() {
        return isTransitive;
    }

    synchronized void passOn() {
        isTransitive = true;
    }
}
