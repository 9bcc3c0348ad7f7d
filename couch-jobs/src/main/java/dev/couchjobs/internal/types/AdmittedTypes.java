package dev.couchjobs.internal.types;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.rows.Notes;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;

/** The types of which a transaction has admitted jobs that wait for slots of limit keys. */
public final class AdmittedTypes extends Notes<TypeKeys> {
    private AdmittedTypes() {}

    public static void add(Transaction tx, TypeKeys type) {
        JobStore.state(tx, AdmittedTypes.class, AdmittedTypes::new).add(type);
    }

    /** {@return those of a transaction since the last call} */
    static List<TypeKeys> take(Transaction tx) {
        return JobStore.stateOf(tx, AdmittedTypes.class).map(Notes::take).orElse(List.of());
    }
}
