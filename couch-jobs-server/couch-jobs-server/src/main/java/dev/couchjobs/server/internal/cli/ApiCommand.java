package dev.couchjobs.server.internal.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that speaks the API. */
abstract class ApiCommand implements Callable<Integer> {
    static final int DONE = 0;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private final TargetOptions target = new TargetOptions();

    @Option(names = "--json", description = "Prints the JSON of the API.")
    private boolean isJson;

    @Override
    public final Integer call() {
        Output output = new Output(shell(), isJson);
        try (Stop stop = new Stop();
                Session session = Session.open(target, output, stop, this)) {
            int exitCode = run(session);
            return output.isClosed() ? Failure.FAILED : exitCode;
        }
    }

    /** {@return the exit status} */
    abstract int run(Session session);

    /** {@return whether a directory that is not there is made: not to read what it cannot have} */
    boolean makesDirectory() {
        return false;
    }

    /** {@return where backups are written, if this process has opened the database} */
    Optional<Path> backups() {
        return Optional.empty();
    }

    final Shell shell() {
        return ((RootCommand) Objects.requireNonNull(spec, "spec").root().userObject()).shell();
    }

    /** Prints a reply: its JSON, or its items in a table. */
    static void items(Session session, ApiReply reply, String... fields) {
        if (session.output().isJson()) {
            session.output().json(reply.text());
            return;
        }
        session.output().table(List.of(fields), reply.json().path("items"));
        noteMore(session, reply);
    }

    /** Says how to go on, if there are more items. */
    static void noteMore(Session session, ApiReply reply) {
        if (!session.output().isJson() && reply.json().has("next")) {
            session.output()
                    .note("There are more: --after '" + reply.json().get("next").asString() + "', or --all");
        }
    }

    /** Prints a reply: its JSON, or its items, which are names, a line each. */
    static int names(Session session, ApiReply reply) {
        if (session.output().isJson()) {
            session.output().json(reply.text());
        } else if (reply.json().path("items").isEmpty()) {
            session.output().note("There are none.");
        } else {
            reply.json().path("items").forEach(name -> session.output().line(name.asString()));
        }
        return DONE;
    }

    /** Prints a reply: its JSON, or its fields. */
    static void fields(Session session, ApiReply reply) {
        if (session.output().isJson()) {
            session.output().json(reply.text());
        } else {
            session.output().fields(reply.json());
        }
    }

    /** Prints what a write has done: its JSON, or a sentence. */
    static int done(Session session, ApiReply reply, String sentence) {
        Output output = session.output();
        if (output.isJson()) {
            output.json(reply.text().isEmpty() ? "{}" : reply.text());
        } else if (reply.hasChanged()) {
            output.line(sentence);
        }
        if (!reply.hasChanged()) {
            output.note("Nothing was changed: it is so already, or not there (" + sentence + ").");
            return Failure.NOTHING;
        }
        return DONE;
    }

    /** Does the same to each of several; goes on behind those that are not there. */
    static int each(Session session, List<String> names, Function<String, ApiReply> write, String verb) {
        int exitCode = DONE;
        for (String name : names) {
            if (session.stop().isRequested()) {
                return Failure.FAILED;
            }
            try {
                exitCode = Math.max(exitCode, done(session, write.apply(name), verb + " " + name));
            } catch (Failure failure) {
                if (failure.exitCode() != Failure.NOTHING) {
                    throw failure;
                }
                RootCommand.report(session.output().shell(), failure);
                exitCode = Failure.NOTHING;
            }
        }
        return exitCode;
    }

    final void confirm(Session session, YesOption yes, String question) {
        Confirmation.ask(shell(), session.stop(), yes.isGiven(), question);
    }
}
