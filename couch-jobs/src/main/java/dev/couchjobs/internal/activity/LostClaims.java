package dev.couchjobs.internal.activity;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.loop.ArmedWatch;
import java.util.concurrent.CompletableFuture;

/** Tells the holders of a type's claims that some claim has ended other than by its holder. */
public final class LostClaims {
    private LostClaims() {}

    /** Wakes the holders if a claim ends other than by its holder. */
    public static void write(Changes changes) {
        boolean isAnyTaken = false;
        for (SavedChange change : changes.all()) {
            isAnyTaken |= isTaken(change);
        }
        if (isAnyTaken) {
            IncompleteVersionstamps.touch(
                    changes.tx(), ActivityKeys.of(changes.keys()).watchesLost(), changes.userVersion());
        }
    }

    private static boolean isTaken(SavedChange change) {
        JobRow before = change.indexed();
        return before != null && before.isTakenFromHolder(change.event());
    }

    /** {@return a watch that fires when a holder loses a claim after this transaction} */
    public static CompletableFuture<ArmedWatch> watch(Transaction tx, TypeKeys keys) {
        return ArmedWatch.arm(tx, ActivityKeys.of(keys).watchesLost());
    }
}
