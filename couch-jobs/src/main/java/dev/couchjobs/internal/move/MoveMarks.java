package dev.couchjobs.internal.move;

import dev.couchjobs.JobsMoveException;
import dev.couchjobs.internal.rows.Layout;
import dev.couchjobs.internal.rows.Layout.MoveMark;
import org.jspecify.annotations.Nullable;

/**
 * The marks of a move in the layout rows of its source and its target.
 *
 * <p>Both marks name the move, so one target receives rows from one source only, and a source is closed for one target
 * only. The mark of the target also names the run that may write there: an earlier run that is still alive cannot bring
 * back old rows. A target whose mark names no run is aborted and can only be cleared: two processes cannot finish and
 * abort one move.
 */
final class MoveMarks {
    private static final String IN_SERVICE = "";
    private static final String NO_RUN = "";

    private MoveMarks() {}

    /** The source in service, marked with a move, which replaces an earlier move that has not closed the source. */
    static Layout begun(Layout source, String move) {
        refuse(source);
        return source.marked(new MoveMark(move, NO_RUN, IN_SERVICE));
    }

    /** The source out of service. */
    static Layout closed(Layout source, String move, String place) {
        requireMove(source, move);
        return source.marked(new MoveMark(
                move,
                NO_RUN,
                "The jobs in this database are being moved, or were moved, to " + place
                        + ": open that database. Until the move is done, JobsMove.abort puts this one into service"
                        + " again. Nothing was written."));
    }

    /**
     * The source in service again. The mark still names the move, so that an abort that was interrupted can be
     * repeated.
     */
    static Layout released(Layout source, String move) {
        requireMove(source, move);
        return source.marked(new MoveMark(move, NO_RUN, IN_SERVICE));
    }

    /** The target, marked with a run of the move, which replaces any earlier run. */
    static Layout filling(MoveEndpoint.Found target, String move, String run) {
        if (!target.empty() || target.layout().mark() != null) {
            requireResumable(target.layout(), move);
        }
        return target.layout()
                .marked(new MoveMark(
                        move,
                        run,
                        "The jobs in this database are still being copied from another one, where they are in service"
                                + " until the move is done. If no process runs the move, run it again, or abort it."));
    }

    /** The target of an aborted move. */
    static Layout aborted(Layout target, String move) {
        requireMove(target, move);
        return target.marked(new MoveMark(
                move,
                NO_RUN,
                "A move of jobs to this database was being aborted: abort it again to clear the database."));
    }

    /** The target in service, with the layout of the source. */
    static Layout opened(Layout target, Layout source, String move, String run) {
        boolean openedBefore = target.mark() == null;
        if (!openedBefore) {
            requireRun(target, move, run);
        }
        return source.marked(null);
    }

    static @Nullable String moveOf(Layout layout) {
        return layout.mark() == null ? null : layout.mark().move();
    }

    static void requireRun(Layout target, String move, String run) {
        if (!target.isMarkedBy(move)
                || target.mark() == null
                || !target.mark().run().equals(run)) {
            throw new JobsMoveException(
                    "Another run of this move has begun, or the move was aborted. This run has ended, and has"
                            + " written nothing since.");
        }
    }

    static void requireMove(Layout side, String move) {
        if (!side.isMarkedBy(move)) {
            throw new JobsMoveException(
                    "The two databases are not the two sides of one move: another move has begun from this source,"
                            + " or this target belongs to another source. Finish or abort the move that began last,"
                            + " with its own source and target.");
        }
    }

    private static void requireResumable(Layout target, String move) {
        if (!target.isClosed()) {
            throw new JobsMoveException(
                    "There are jobs in the target already, in service. If they are those of this source, the move"
                            + " is done; otherwise choose an empty database or another prefix.");
        }
        requireMove(target, move);
        if (target.mark() != null && target.mark().run().equals(NO_RUN)) {
            throw new JobsMoveException("This move was being aborted: abort it again, and then start a new one.");
        }
    }

    private static void refuse(Layout source) {
        source.refusesWriting().ifPresent(refusal -> {
            throw refusal;
        });
    }
}
