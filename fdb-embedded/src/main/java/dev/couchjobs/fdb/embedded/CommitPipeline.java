package dev.couchjobs.fdb.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The one place where the database changes. Everything posted is handled serially; all commits that have queued up
 * meanwhile share one version, and their order in the batch is their order in history.
 *
 * <p>A batch goes through two steps: it is decided and the next state is built, then the state is published, watches fire
 * and the transactions learn what became of them. A durable engine writes its log between the two.
 */
final class CommitPipeline {
    /** A stamp has two bytes for the place in the batch. */
    private static final int BATCH_LIMIT = 1 << 14;

    private sealed interface Message {}

    private record Submit(Commit commit) implements Message {}

    private record Arm(Watch watch) implements Message {}

    private record Disarm(Watch watch) implements Message {}

    private record Close(Runnable whenClosed) implements Message {}

    /** What is to become of a commit: {@code refusal} says why it does not happen, or is null if it does. */
    private record Decision(
            Commit commit, CommitStamp stamp, @Nullable FdbError refusal) {}

    private final VersionWindow versions;
    private final Resolver resolver = new Resolver();
    private final WatchTable watches = new WatchTable();
    private final Mailbox<Message> mailbox;
    private boolean closed;

    CommitPipeline(VersionWindow versions, Executor executor) {
        this.versions = versions;
        this.mailbox = new Mailbox<>(executor, BATCH_LIMIT, this::handle);
    }

    void submit(Commit commit) {
        mailbox.post(new Submit(commit));
    }

    /** For a thread that calls {@link #help} next and then blocks: that spares it the way to another thread and back. */
    void submitToHelp(Commit commit) {
        mailbox.leave(new Submit(commit));
    }

    void help() {
        mailbox.help();
    }

    /** For a transaction that commits without passing through here, because it writes nothing. */
    void arm(Watch watch) {
        mailbox.post(new Arm(watch));
    }

    void disarm(Watch watch) {
        mailbox.post(new Disarm(watch));
    }

    /** Fails every commit and watch that comes later. */
    void close(Runnable whenClosed) {
        mailbox.post(new Close(whenClosed));
    }

    private void handle(List<Message> messages) {
        List<Commit> commits = new ArrayList<>(messages.size());
        for (Message message : messages) {
            if (message instanceof Submit submit) {
                commits.add(submit.commit);
            }
        }
        handleCommits(commits);
        for (Message message : messages) {
            if (message instanceof Arm arm) {
                arm(List.of(arm.watch));
            } else if (message instanceof Disarm disarm) {
                watches.disarm(disarm.watch);
            } else if (message instanceof Close close) {
                closed = true;
                close.whenClosed.run();
            }
        }
    }

    private void handleCommits(List<Commit> commits) {
        if (commits.isEmpty()) {
            return;
        }
        if (closed) {
            commits.forEach(commit -> commit.outcome().failed(Engine.closedError()));
            return;
        }
        long version = versions.reserve();
        resolver.forgetUpTo(version - Limits.WINDOW_VERSIONS);
        OrderedMap<byte[]> data = versions.committed();
        List<Decision> decisions = new ArrayList<>(commits.size());
        for (int place = 0; place < commits.size(); place++) {
            Commit commit = commits.get(place);
            CommitStamp stamp = new CommitStamp(version, place);
            FdbError refusal = decide(commit, stamp);
            if (refusal == null) {
                data = commit.writes().applyTo(data, stamp);
            }
            decisions.add(new Decision(commit, stamp, refusal));
        }
        versions.publish(version, data);
        announce(decisions, data);
    }

    /** Null if the transaction commits, in which case its writes count from now on, also for the rest of the batch. */
    private @Nullable FdbError decide(Commit commit, CommitStamp stamp) {
        long readVersion = commit.readVersion();
        if (readVersion != Commit.NO_READ_VERSION && readVersion < stamp.version() - Limits.WINDOW_VERSIONS) {
            return FdbError.TRANSACTION_TOO_OLD;
        }
        if (resolver.conflicts(commit.reads(), readVersion)) {
            return FdbError.NOT_COMMITTED;
        }
        resolver.recordWrites(commit.conflictingWrites(), stamp.version());
        for (byte[] key : commit.writes().stampedKeys(stamp)) {
            resolver.recordWrites(List.of(KeyRange.of(key)), stamp.version());
        }
        return null;
    }

    /** Comes after publishing, also for those refused, so that whoever tries again does so on the new state. */
    private void announce(List<Decision> decisions, OrderedMap<byte[]> data) {
        for (Decision each : decisions) {
            if (each.refusal == null && !watches.isEmpty()) {
                each.commit.writes().touched(each.stamp).forEach(range -> watches.fire(range, data));
            }
        }
        for (Decision each : decisions) {
            if (each.refusal == null) {
                arm(each.commit.watches());
                each.commit.outcome().committed(each.stamp);
            } else {
                each.commit.outcome().failed(each.refusal.exception());
            }
        }
    }

    private void arm(List<Watch> added) {
        for (Watch watch : added) {
            if (closed) {
                watch.fail(Engine.closedError());
            } else {
                watches.arm(watch, versions.committed());
            }
        }
    }
}
