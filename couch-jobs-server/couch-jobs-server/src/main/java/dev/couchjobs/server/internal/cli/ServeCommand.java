package dev.couchjobs.server.internal.cli;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.bridge.Bridge;
import dev.couchjobs.bridge.BridgeBuilder;
import dev.couchjobs.bridge.BridgeConfigurationException;
import dev.couchjobs.bridge.BridgeNodes;
import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.server.Access;
import dev.couchjobs.server.Authenticator;
import dev.couchjobs.server.JobsHttp;
import dev.couchjobs.server.JobsServer;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.ServerOptions;
import dev.couchjobs.server.internal.access.AccessTokens;
import dev.couchjobs.server.internal.config.ConfigException;
import dev.couchjobs.server.internal.config.ServerConfig;
import dev.couchjobs.server.internal.dispatch.AuditLog;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import dev.couchjobs.server.internal.jetty.NetSettings;
import dev.couchjobs.server.internal.jetty.PemFiles;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Serves the jobs of a database until the process receives a signal. */
@Command(
        name = "serve",
        description = "Serves the jobs of a database over HTTP, until it receives SIGTERM or SIGINT.",
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {
            "1:it could not start",
            "2:an argument or the configuration is wrong",
            "3:it lacked memory: the script couch-jobs has Java end then",
            "5:its database has stopped for good, so that it has to be started again",
            "130:it has ended by SIGINT, such as that of Ctrl-C",
            "143:it has ended by SIGTERM"
        })
public final class ServeCommand implements Callable<Integer> {
    static final Subspace ROWS = new Subspace(Tuple.from("couch_jobs_server"));

    private static final String LOOPBACK = "127.0.0.1";
    /** How long it closes after its database has stopped; then the process ends as it is. */
    private static final Duration CLOSING_MAX = Duration.ofSeconds(30);

    private static final int PORT = 7470;

    @Spec
    private @Nullable CommandSpec spec;

    @ArgGroup(exclusive = true, multiplicity = "0..1")
    private @Nullable Place place;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Reads a configuration in TOML. Options of the command line come before it.")
    private @Nullable Path config;

    @Option(names = "--host", paramLabel = "ADDRESS", description = "Where to listen. Default: " + LOOPBACK)
    private @Nullable String host;

    @Option(names = "--port", paramLabel = "PORT", description = "Default: " + PORT)
    private @Nullable Integer port;

    @Option(names = "--tls-certificates", paramLabel = "FILE", description = "The certificate and its chain, in PEM.")
    private @Nullable Path certificates;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The private key, in PEM.")
    private @Nullable Path key;

    @Option(names = "--tokens", description = "Requires access tokens; the command token creates them.")
    private boolean needsTokens;

    @Option(
            names = "--backups",
            paramLabel = "DIRECTORY",
            description = "Where the command backup writes copies of the database.")
    private @Nullable Path backups;

    @Option(
            names = "--bridge",
            paramLabel = "FILE",
            description = "Runs the bridge to CouchDB of this file too, with its jobs in the database of the server.")
    private @Nullable Path bridge;

    @Option(names = "--check", description = "Checks the options and the configuration, and ends.")
    private boolean isCheck;

    /** What the command line and the file say together. */
    private record Settings(
            DatabaseLocation place,
            boolean needsTokens,
            ServerConfig config,
            NetSettings net,
            Optional<Path> backups,
            Optional<BridgeBuilder> bridge) {
        String bridgePrefix() {
            return bridge.map(BridgeBuilder::prefix)
                    .or(() -> config.bridge().prefix())
                    .orElse(BridgeNodes.PREFIX);
        }
    }

    private CommandSpec spec() {
        if (spec == null) {
            throw new IllegalStateException("picocli sets it.");
        }
        return spec;
    }

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec().commandLine().getOut();
        Settings settings = settings();
        if (isCheck) {
            out.println("The configuration is valid.");
            return 0;
        }
        serve(settings, out);
        return 0;
    }

    private Settings settings() {
        ServerConfig file = file();
        DatabaseLocation location = place != null
                ? place.location()
                : file.place()
                        .orElseThrow(() -> wrong(
                                "It is not known where the jobs are: give --directory or --cluster-file, here or in the"
                                        + " configuration (directory, cluster_file)."));
        boolean tokens = needsTokens || file.needsTokens();
        NetSettings net = net(file);
        try {
            net.requireSafe(tokens);
            net.tls().ifPresent(PemFiles::load);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        return new Settings(
                location, tokens, file, net, Optional.ofNullable(backups).or(file::backups), bridge(file));
    }

    private Optional<BridgeBuilder> bridge(ServerConfig file) {
        Optional<Path> configuration =
                Optional.ofNullable(bridge).or(() -> file.bridge().file());
        try {
            return configuration.map(Bridge::of);
        } catch (BridgeConfigurationException e) {
            List<String> lines = e.mistakes().stream()
                    .map(mistake -> configuration.orElseThrow() + ": " + mistake)
                    .toList();
            throw wrong(String.join(System.lineSeparator(), lines));
        }
    }

    private ServerConfig file() {
        if (config == null) {
            return ServerConfig.empty();
        }
        try {
            return ServerConfig.read(config);
        } catch (ConfigException e) {
            List<String> lines = e.mistakes().stream()
                    .map(mistake -> config + ": " + mistake)
                    .toList();
            throw wrong(String.join(System.lineSeparator(), lines));
        }
    }

    private NetSettings net(ServerConfig file) {
        if ((certificates == null) != (key == null)) {
            throw wrong("TLS needs both --tls-certificates and --tls-key.");
        }
        ServerConfig.Limits limits = file.limits();
        Optional<NetSettings.Tls> tls =
                certificates == null || key == null ? file.tls() : Optional.of(new NetSettings.Tls(certificates, key));
        try {
            return new NetSettings(
                    host != null ? host : file.host().orElse(LOOPBACK),
                    port != null ? port : file.port().orElse(PORT),
                    file.names(),
                    tls,
                    limits.connections(),
                    limits.headerBytes(),
                    limits.idleTime(),
                    limits.transferTime());
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec().commandLine(), message);
    }

    private static void serve(Settings settings, PrintWriter out) throws InterruptedException {
        CountDownLatch signal = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        FDBException stopped = null;
        try (Database database = Databases.open(settings.place());
                CouchJobs jobs = CouchJobs.on(database);
                RunningBridge bridge = RunningBridge.start(settings.bridge(), database);
                JobsServer server = start(settings, jobs, database)) {
            out.println("couch-jobs listens on " + server.address() + " (the operations: " + server.address()
                    + "openapi.json)");
            if (!settings.needsTokens()) {
                out.println("Every caller on this machine may do everything; --tokens requires access tokens.");
            }
            bridge.describe(out);
            CompletableFuture<FDBException> failure = EmbeddedDatabase.failure(database);
            var unused = failure.thenRun(signal::countDown);
            awaitSignal(signal, closed);
            stopped = failure.getNow(null);
            if (stopped != null) {
                ServerThreads.endProcess(closed, CLOSING_MAX, Failure.STOPPED);
            }
        } catch (RuntimeException e) {
            if (stopped == null) {
                throw e;
            }
            // A database that has stopped cannot be closed as others are: why it has stopped says all.
        } finally {
            closed.countDown();
        }
        if (stopped != null) {
            throw new Failure(
                    Failure.STOPPED,
                    "The database has stopped: " + reason(stopped),
                    "Start the server again, which opens the database again; a service manager should do so.");
        }
    }

    private static String reason(FDBException error) {
        Throwable cause = error.getCause();
        return String.valueOf(cause == null ? error.getMessage() : cause.getMessage());
    }

    /** Returns when the process is to end, which waits for {@code closed}, or when the database has stopped. */
    private static void awaitSignal(CountDownLatch signal, CountDownLatch closed) throws InterruptedException {
        Thread hook = ServerThreads.atShutdown(() -> closeGracefully(signal, closed));
        try {
            signal.await();
        } finally {
            ServerThreads.remove(hook);
        }
    }

    /** A bridge beside the server, if there is one. */
    private record RunningBridge(Optional<Bridge> bridge) implements AutoCloseable {
        private static final String WHERE = "GET /v1/bridge/nodes shows it.";

        static RunningBridge start(Optional<BridgeBuilder> builder, Database database) {
            return new RunningBridge(
                    builder.map(found -> found.database(database).start()));
        }

        /** Says whether the bridge waits for its CouchDB, runs, or has stopped, now and when that changes. */
        void describe(PrintWriter out) {
            bridge.ifPresent(started -> {
                CompletableFuture<Void> ready = started.ready();
                if (!ready.isDone()) {
                    out.println("The bridge waits for its CouchDB; " + WHERE);
                }
                var unused = ready.thenRun(() -> out.println("The bridge to CouchDB runs; " + WHERE));
                var unusedToo =
                        started.stopped().thenAccept(reason -> out.println("The bridge has stopped: " + reason));
            });
        }

        @Override
        public void close() {
            bridge.ifPresent(Bridge::close);
        }
    }

    private static JobsServer start(Settings settings, CouchJobs jobs, Database database) {
        ServerConfig.Limits limits = settings.config().limits();
        JobsHttp http = JobsHttp.on(jobs, database)
                .subspace(ROWS)
                .bridge(settings.bridgePrefix())
                .hidePayloads(settings.config().hidden()::contains)
                .bodyBytes(limits.bodyBytes())
                .feedClients(limits.feedClients())
                .audit(settings.config().isAudited());
        if (settings.backups().isPresent()) {
            http = http.backups(settings.backups().get());
        }
        if (settings.needsTokens()) {
            requireTokens(settings, database);
            http = http.tokens().rate(limits.requestsPerSecond(), limits.burst());
        } else {
            // Who has added a job is not known, and a line for each would hide the others.
            RootCommand.setLog("log." + AuditLog.ADDITIONS, "warn");
            http = http.authenticator(Authenticator.always(Access.of("local", Role.ADMIN)));
        }
        return JobsServer.start(http, options(settings.net()));
    }

    private static ServerOptions options(NetSettings net) {
        ServerOptions options = ServerOptions.on(net.host(), net.port())
                .names(net.names().toArray(String[]::new))
                .connections(net.connections())
                .headerBytes(net.headerBytes())
                .times(net.idleTime(), net.transferTime());
        return net.tls()
                .map(files -> options.tls(files.certificates(), files.key()))
                .orElse(options);
    }

    /** A server that no caller can use is a mistake; and while it has the directory, no command can add a token. */
    private static void requireTokens(Settings settings, Database database) {
        if (new AccessTokens(database, ROWS, ServerEnvironment.clock())
                .list()
                .join()
                .tokens()
                .isEmpty()) {
            throw new IllegalStateException("Callers need tokens, and there is none. Create the first: couch-jobs"
                    + " token add --name admin --role admin " + Place.options(settings.place()));
        }
    }

    private static void closeGracefully(CountDownLatch signal, CountDownLatch closed) {
        signal.countDown();
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
