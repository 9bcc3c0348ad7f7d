package dev.couchjobs.server.internal.cli;

import java.util.Optional;

/** A command's connection with the jobs, from its begin to its end. */
final class Session implements AutoCloseable {
    private final Api api;
    private final Output output;
    private final Stop stop;
    private final Optional<LocalServer> local;

    private Session(Api api, Output output, Stop stop, Optional<LocalServer> local) {
        this.api = api;
        this.output = output;
        this.stop = stop;
        this.local = local;
    }

    static Session open(TargetOptions target, Output output, Stop stop, ApiCommand command) {
        var environment = output.shell().environment();
        Optional<LocalServer> local = target.location()
                .map(location -> LocalServer.open(location, command.makesDirectory(), command.backups()));
        Api api = local.map(server -> new Api(server.address(), Optional.of(server.secretOfCaller()), Optional.empty()))
                .orElseGet(() ->
                        new Api(target.url(environment), target.token(environment), target.authorities(environment)));
        return new Session(api, output, stop, local);
    }

    Api api() {
        return api;
    }

    Output output() {
        return output;
    }

    Stop stop() {
        return stop;
    }

    /** {@return the database, if this process has opened it} */
    Optional<LocalServer> local() {
        return local;
    }

    @Override
    public void close() {
        // Closing must not be cut short by a signal that has cut the command short.
        boolean wasInterrupted = Thread.interrupted();
        local.ifPresent(LocalServer::close);
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
