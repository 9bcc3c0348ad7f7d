package dev.couchjobs.internal.rows;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;

/** What a feature notes in a transaction for the end of the verb, beside the changes of jobs. */
public abstract class Notes<T> {
    @GuardedBy("this") private List<T> notes = new ArrayList<>();

    /** Notes something. */
    public final synchronized void add(T note) {
        notes.add(note);
    }

    /** {@return what was noted since the last call} */
    public final synchronized List<T> take() {
        List<T> taken = notes;
        notes = new ArrayList<>();
        return taken;
    }
}
