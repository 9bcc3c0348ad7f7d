package dev.couchjobs.internal.move;

import dev.couchjobs.JobsMoveException;
import dev.couchjobs.MoveProgress;
import dev.couchjobs.MoveProgress.Phase;
import dev.couchjobs.MoveTotals;
import dev.couchjobs.internal.rows.Layout;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Copies by comparing: a pass reads both sides page by page and makes the target what the source is. So it does not
 * matter how often one was interrupted, nor where, and no pass needs to know what another did.
 *
 * <p>A pass over a source at work is never right as a whole, since its pages are of different versions. The one over a
 * source that cannot be written any more is.
 */
public final class Move {
    /**
     * How far a target is to be advanced, in versions: a day. An embedded source that was killed continues up to an
     * hour later, and the next try must not find it ahead again.
     */
    private static final long ADVANCE_VERSIONS = TimeUnit.DAYS.toMicros(1);

    private final MoveEndpoint source;
    private final MoveEndpoint target;
    private final String place;
    private final RandomGenerator random;
    private final Consumer<MoveProgress> listener;

    public Move(
            MoveEndpoint source,
            MoveEndpoint target,
            String place,
            RandomGenerator random,
            Consumer<MoveProgress> listener) {
        this.source = source;
        this.target = target;
        this.place = place;
        this.random = random;
        this.listener = listener;
    }

    /** {@return how many rows the last pass changed} */
    public CompletableFuture<Long> copy() {
        return begin().thenCompose(Run::copy);
    }

    /** {@return what both sides have} */
    public CompletableFuture<MoveTotals> finish() {
        return begin().thenCompose(Run::finish);
    }

    /** {@return when the source is in service and the target is empty} */
    public CompletableFuture<@Nullable Void> abort() {
        return target.look().thenCompose(found -> {
            String move = MoveMarks.moveOf(found.layout());
            if (move == null) {
                throw new JobsMoveException(
                        "There is no move to this target that could be aborted: none has begun, or it is done"
                                + " and the jobs are in the target.");
            }
            return source.look()
                    .thenAccept(other -> MoveMarks.requireMove(other.layout(), move))
                    .thenCompose(ours -> target.edit(now -> MoveMarks.aborted(now.layout(), move)))
                    .thenCompose(marked -> source.edit(now -> MoveMarks.released(now.layout(), move)))
                    .thenCompose(released -> target.clear(now -> MoveMarks.aborted(now.layout(), move)))
                    .thenApply(cleared -> null);
        });
    }

    private CompletableFuture<Run> begin() {
        String run = id();
        return target.look()
                .thenCompose(found -> {
                    String begunBefore = MoveMarks.moveOf(found.layout());
                    String move = begunBefore == null ? id() : begunBefore;
                    MoveMarks.filling(found, move, run); // fails before anything is written
                    return source.edit(now -> {
                                if (begunBefore == null) {
                                    return MoveMarks.begun(now.layout(), move);
                                }
                                MoveMarks.requireMove(now.layout(), move);
                                return now.layout();
                            })
                            .thenApply(begun -> move);
                })
                .thenCompose(move ->
                        target.edit(now -> MoveMarks.filling(now, move, run)).thenApply(marked -> new Run(move, run)))
                .thenCompose(begun -> requireVersions().thenApply(fine -> begun));
    }

    private String id() {
        byte[] id = new byte[16];
        random.nextBytes(id);
        return HexFormat.of().formatHex(id);
    }

    /** Versions order the feed and tell silent processors, so the writes of the target need later ones. */
    private CompletableFuture<@Nullable Void> requireVersions() {
        return source.version()
                .thenCompose(there -> target.version().thenApply(here -> {
                    if (here <= there) {
                        throw new JobsMoveException("The target is at version " + here
                                + ", and the source at version " + there
                                + ": what the target writes must be later. Advance the target: for a cluster,"
                                + " fdbcli --exec \"advanceversion " + (there + ADVANCE_VERSIONS)
                                + "\" (the cluster pauses for a moment); for an embedded database,"
                                + " EmbeddedDatabase.openAfter(directory, " + (there + ADVANCE_VERSIONS) + "L).");
                    }
                    return null;
                }));
    }

    /** One run of a move. It may write until another run begins. */
    private final class Run {
        private final String move;
        private final String run;

        Run(String move, String run) {
            this.move = move;
            this.run = run;
        }

        /** Repeats passes while each changes at most half as many rows as the one before. */
        CompletableFuture<Long> copy() {
            return pass(Phase.COPYING).thenCompose(first -> again(first.changed));
        }

        private CompletableFuture<Long> again(long before) {
            if (before == 0) {
                return CompletableFuture.completedFuture(before);
            }
            return pass(Phase.COPYING)
                    .thenCompose(pass -> pass.changed > before / 2
                            ? CompletableFuture.completedFuture(pass.changed)
                            : again(pass.changed));
        }

        CompletableFuture<MoveTotals> finish() {
            return copy().thenCompose(copied -> source.edit(now -> MoveMarks.closed(now.layout(), move, place)))
                    .thenCompose(closed -> requireVersions()
                            .thenCompose(fine -> pass(Phase.CATCHING_UP))
                            .thenCompose(last -> check(last.digest.totals()))
                            .thenCompose(totals -> open(closed).thenApply(opened -> totals)));
        }

        private CompletableFuture<Pass> pass(Phase phase) {
            Pass pass = new Pass();
            return RowScanner.of(
                            source,
                            target.executor(),
                            (from, rows) -> source.page(from, rows)
                                    .thenCompose(page -> target.become(page, move, run))
                                    .thenApply(made -> {
                                        pass.changed += made.size();
                                        pass.digest.add(made.there().rows());
                                        listener.accept(new MoveProgress(phase, pass.digest.rows(), pass.changed));
                                        return made.there();
                                    }))
                    .thenApply(done -> pass);
        }

        private CompletableFuture<MoveTotals> check(MoveTotals wanted) {
            RowDigest digest = new RowDigest();
            return RowScanner.of(
                            target,
                            target.executor(),
                            (from, rows) -> target.page(from, rows).thenApply(page -> {
                                digest.add(page.rows());
                                listener.accept(new MoveProgress(Phase.CHECKING, digest.rows(), 0));
                                return page;
                            }))
                    .thenApply(done -> {
                        MoveTotals found = digest.totals();
                        if (!found.equals(wanted)) {
                            throw new JobsMoveException("The target does not have what the source has: it has " + found
                                    + ", and should have " + wanted
                                    + ". Another program writes there: stop it, and then finish or abort the move."
                                    + " Until then neither database is in service.");
                        }
                        return found;
                    });
        }

        private CompletableFuture<Layout> open(Layout closedSource) {
            return target.edit(now -> MoveMarks.opened(now.layout(), closedSource, move, run));
        }
    }

    /** The result of one pass. Pages are read one after the other, so no field needs a lock. */
    private static final class Pass {
        private final RowDigest digest = new RowDigest();
        private long changed;
    }
}
