package dev.couchjobs.server.internal.api;

import dev.couchjobs.server.Access;
import dev.couchjobs.server.Role;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Which callers see what jobs contain: of a type that is hidden, only those that may operate it. Hidden are the data,
 * the result, the entries of the log, the checkpoint, the text of the progress, and of errors all but their class.
 */
public final class Hiding {
    private final Predicate<String> types;

    public Hiding(Predicate<String> types) {
        this.types = types;
    }

    public boolean isFrom(Access caller, String type) {
        return types.test(type) && !caller.allows(Role.OPERATE, Optional.of(type));
    }

    boolean isFrom(Call call) {
        return isFrom(call.access(), call.type().name());
    }
}
