package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashSet;
import java.util.Set;

/** The types of which a transaction has admitted jobs that wait for slots of limit keys. */
final class AdmittedTypes {
    @GuardedBy("this") private Set<TypeKeys> types = new LinkedHashSet<>();

    private AdmittedTypes() {}

    static void add(Transaction tx, TypeKeys type) {
        JobTransaction.state(tx, AdmittedTypes.class, AdmittedTypes::new).add(type);
    }

    private synchronized void add(TypeKeys type) {
        types.add(type);
    }

    /** {@return those of a transaction since the last call} */
    static Set<TypeKeys> take(Transaction tx) {
        return JobTransaction.stateOf(tx, AdmittedTypes.class)
                .map(AdmittedTypes::take)
                .orElse(Set.of());
    }

    private synchronized Set<TypeKeys> take() {
        Set<TypeKeys> taken = types;
        types = new LinkedHashSet<>();
        return taken;
    }
}
