package dev.couchjobs.bridge.internal.document;

import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalInt;

/** Comparators of optional values. An empty one comes first. */
final class OptionalComparators {
    static final Comparator<OptionalInt> INT =
            Comparator.comparingLong((OptionalInt value) -> value.isPresent() ? value.getAsInt() : Long.MIN_VALUE);

    private OptionalComparators() {}

    static <T> Comparator<Optional<T>> optional(Comparator<? super T> order) {
        return (one, other) -> one.isPresent() && other.isPresent()
                ? order.compare(one.get(), other.get())
                : Boolean.compare(one.isPresent(), other.isPresent());
    }
}
