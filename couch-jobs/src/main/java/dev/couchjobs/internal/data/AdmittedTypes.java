package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
import java.util.List;

/** The types of which a transaction has admitted jobs that wait for slots of limit keys. */
final class AdmittedTypes extends Notes<TypeKeys> {
    private AdmittedTypes() {}

    static void add(Transaction tx, TypeKeys type) {
        JobStore.state(tx, AdmittedTypes.class, AdmittedTypes::new).add(type);
    }

    /** {@return those of a transaction since the last call} */
    static List<TypeKeys> take(Transaction tx) {
        return JobStore.stateOf(tx, AdmittedTypes.class).map(Notes::take).orElse(List.of());
    }
}
