package dev.couchjobs.internal.move;

import dev.couchjobs.JobsMoveException;
import dev.couchjobs.internal.data.Layout;
import dev.couchjobs.internal.data.Layout.MoveMark;
import org.jspecify.annotations.Nullable;

/**
 * What a move says in the layout rows of its two sides.
 *
 * <p>Each side names the move, so that a target is only ever filled from one source and a source only ever closed for
 * one target. The target also names the run that may write there: a run that was thought dead cannot bring back old
 * rows. A target that names no run has been called off for good, and can only be cleared: so a move cannot be finished
 * by one and called off by another.
 */
final class MoveMarks {
    private static final String IN_SERVICE = "";
    private static final String NO_RUN = "";

    private MoveMarks() {}

    /** The source, in service and with a move begun, in place of any that was begun before and has not closed it. */
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
                "The jobs here are being moved, or were moved, to " + place + ": open that. The process that moves"
                        + " them can also"
                        + " call it off until it is done. Nothing was written."));
    }

    /**
     * The source in service again. It still names the move, so that a process that was interrupted in calling it off
     * can go on.
     */
    static Layout released(Layout source, String move) {
        requireMove(source, move);
        return source.marked(new MoveMark(move, NO_RUN, IN_SERVICE));
    }

    /** The target with that run of the move at work, in place of any run before. */
    static Layout filling(MoveEndpoint.Found target, String move, String run) {
        if (!target.empty() || target.layout().mark() != null) {
            requireResumable(target.layout(), move);
        }
        return target.layout()
                .marked(new MoveMark(
                        move,
                        run,
                        "The jobs here are still being copied from another database, where they are in service until"
                                + " all"
                                + " is here. If no process does that any more, run the move again, or call it off."));
    }

    /** The target after that move has been called off. */
    static Layout aborted(Layout target, String move) {
        requireMove(target, move);
        return target.marked(new MoveMark(
                move,
                NO_RUN,
                "A move of jobs to this database was called off half-way: call it off again to clear it."));
    }

    /** The target in service, laid out as the source. */
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
                    "Another run of this move has begun, or it was called off: this run ends here, and"
                            + " has written nothing since.");
        }
    }

    static void requireMove(Layout side, String move) {
        if (!side.isMarkedBy(move)) {
            throw new JobsMoveException(
                    "The two databases are not the two sides of one move: another move has been begun"
                            + " from this source, or another source was given for this target. Run the one that was"
                            + " begun last, or"
                            + " call it off, with the databases that it was begun with.");
        }
    }

    private static void requireResumable(Layout target, String move) {
        if (!target.isClosed()) {
            throw new JobsMoveException(
                    "There are jobs in the target already, in service: if they are those of this source,"
                            + " the move is done; if not, take an empty database or another prefix.");
        }
        requireMove(target, move);
        if (target.mark() != null && target.mark().run().equals(NO_RUN)) {
            throw new JobsMoveException("This move was called off half-way: call it off again, and then begin again.");
        }
    }

    private static void refuse(Layout source) {
        source.refusesWriting().ifPresent(refusal -> {
            throw refusal;
        });
    }
}
