package dev.couchjobs.server.internal.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What is paused and resumed: a type, a limit key of it, a schedule, or the workers of a name. */
final class PausableArguments {
    @Parameters(index = "0", arity = "0..1", paramLabel = "TYPE", description = "The type.")
    private @Nullable String type;

    @Option(names = "--key", paramLabel = "KEY", description = "Only the jobs of the type with this limit key.")
    private @Nullable String key;

    @Option(names = "--schedule", paramLabel = "NAME", description = "The schedule of this name.")
    private @Nullable String schedule;

    @Option(names = "--worker", paramLabel = "NAME", description = "The workers of this name, also those to come.")
    private @Nullable String worker;

    /** {@return the address of a verb on what is named} */
    Address address(String verb) {
        if (type != null && schedule == null && worker == null) {
            return key == null
                    ? Address.of("/v1/types/{}/{}", type, verb)
                    : Address.of("/v1/types/{}/limit-keys/{}/{}", type, key, verb);
        }
        if (type == null && key == null && schedule != null && worker == null) {
            return Address.of("/v1/schedules/{}/{}", schedule, verb);
        }
        if (type == null && key == null && schedule == null && worker != null) {
            return Address.of("/v1/workers/{}/{}", worker, verb);
        }
        throw new Failure(Failure.USAGE, "Which one?", "Give a type, a type and --key, --schedule, or --worker.");
    }

    boolean isType() {
        return type != null && key == null;
    }

    /** {@return whether the type is in a list of types, or the caller may not see the list} */
    boolean isAmong(ApiReply types) {
        return types.status() != 200
                || types.json()
                        .path("items")
                        .valueStream()
                        .anyMatch(name -> name.asString().equals(type));
    }

    @Override
    public String toString() {
        if (type != null) {
            return key == null ? type : type + " " + key;
        }
        return schedule != null ? "the schedule " + schedule : "the workers " + worker;
    }
}
