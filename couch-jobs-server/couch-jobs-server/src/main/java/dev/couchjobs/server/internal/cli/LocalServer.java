package dev.couchjobs.server.internal.cli;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.fdb.embedded.DirectoryInUseException;
import dev.couchjobs.server.Access;
import dev.couchjobs.server.Authenticator;
import dev.couchjobs.server.JobsHttp;
import dev.couchjobs.server.JobsServer;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A database that the command opens, and a server for it as long as the command runs. Only who has the secret, which
 * stays in this process, can use that server.
 */
final class LocalServer implements AutoCloseable {
    private static final int SECRET_BYTES = 32;

    private final DatabaseLocation location;
    private final Database database;
    private final CouchJobs jobs;
    private final JobsServer server;
    private final String secret;

    private LocalServer(
            DatabaseLocation location, Database database, CouchJobs jobs, String secret, Optional<Path> backups) {
        this.location = location;
        this.database = database;
        this.jobs = jobs;
        this.secret = secret;
        JobsHttp http = JobsHttp.on(jobs, database).authenticator(callersWith(secret));
        server = JobsServer.start(backups.map(http::backups).orElse(http), "127.0.0.1", 0);
    }

    /**
     * Opens a database.
     *
     * @param makesDirectory whether a directory that is not there is made
     * @param backups where backups are written
     */
    static LocalServer open(DatabaseLocation location, boolean makesDirectory, Optional<Path> backups) {
        if (!makesDirectory
                && location instanceof DatabaseLocation.Directory directory
                && !Files.isDirectory(directory.path())) {
            throw new Failure(
                    Failure.NOTHING,
                    "There is no directory " + directory.path() + ".",
                    "Check the path. `couch-jobs serve`, `add` and `token add` make a directory.");
        }
        Database database = database(location);
        CouchJobs jobs = null;
        try {
            jobs = CouchJobs.on(database);
            return new LocalServer(location, database, jobs, secret(), backups);
        } catch (RuntimeException e) {
            if (jobs != null) {
                jobs.close();
            }
            database.close();
            throw e;
        }
    }

    static Database database(DatabaseLocation location) {
        return held(() -> Databases.open(location));
    }

    /** Opens a database, and says what to do if another process has it open. */
    static Database held(Supplier<Database> open) {
        try {
            return open.get();
        } catch (DirectoryInUseException e) {
            throw new Failure(
                    Failure.FAILED,
                    String.valueOf(e.getMessage()),
                    "If a server has it open, use --url in place of --directory: --url " + TargetOptions.STANDARD_URL);
        }
    }

    private static String secret() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(ServerEnvironment.randomBytes(SECRET_BYTES));
    }

    private static Authenticator callersWith(String secret) {
        byte[] expected = ("Bearer " + secret).getBytes(StandardCharsets.UTF_8);
        return request -> CompletableFuture.completedFuture(Optional.ofNullable(request.getHeader("Authorization"))
                .filter(header -> MessageDigest.isEqual(expected, header.getBytes(StandardCharsets.UTF_8)))
                .map(header -> Access.of("couch-jobs", Role.ADMIN)));
    }

    /** {@return whether this is a directory, which no other process can have open} */
    boolean isDirectory() {
        return location instanceof DatabaseLocation.Directory;
    }

    URI address() {
        return server.address();
    }

    String secretOfCaller() {
        return secret;
    }

    CouchJobs jobs() {
        return jobs;
    }

    @Override
    public void close() {
        server.close();
        jobs.close();
        database.close();
    }
}
