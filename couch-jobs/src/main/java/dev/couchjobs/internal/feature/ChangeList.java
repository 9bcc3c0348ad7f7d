package dev.couchjobs.internal.feature;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.internal.rows.TransactionScope;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The changes of jobs by a transaction that some settler has yet to take. */
final class ChangeList {
    @GuardedBy("this") private final List<SavedChange> changes = new ArrayList<>(0);

    /** A copy of them, if one has been made since the last was added. */
    @GuardedBy("this") private @Nullable List<SavedChange> copy;

    /** How many of them each settler has taken, by the number of the settler. */
    @GuardedBy("this") private int[] taken = {};

    /** {@return the list of a transaction that writes} */
    static ChangeList of(TransactionScope scope) {
        return scope.state(ChangeList.class, ChangeList::new);
    }

    synchronized void add(SavedChange... saved) {
        Collections.addAll(changes, saved);
        copy = null;
    }

    /** {@return the changes since the last call for a settler} */
    synchronized List<SavedChange> take(int settler, int settlers) {
        if (changes.isEmpty()) {
            return List.of();
        }
        if (taken.length == 0) {
            taken = new int[settlers];
        }
        if (copy == null) {
            copy = List.copyOf(changes);
        }
        List<SavedChange> rest = copy.subList(taken[settler], copy.size());
        taken[settler] = changes.size();
        if (haveAllTaken()) {
            changes.clear();
            copy = null;
            Arrays.fill(taken, 0);
        }
        return rest;
    }

    @GuardedBy("this") private boolean haveAllTaken() {
        for (int count : taken) {
            if (count < changes.size()) {
                return false;
            }
        }
        return true;
    }
}
