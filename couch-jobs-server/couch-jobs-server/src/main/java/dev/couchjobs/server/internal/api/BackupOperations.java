package dev.couchjobs.server.internal.api;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.Fields;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Copies of a database that this server has open in a directory. */
public final class BackupOperations {
    private static final DateTimeFormatter STANDARD_NAME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH-mm-ss'Z'").withZone(ZoneOffset.UTC);

    private final Database database;
    private final Optional<Path> backups;
    private final InstantSource clock;

    /** @param backups the directory in which each backup is a directory; none if the server has no place for them */
    public BackupOperations(Database database, Optional<Path> backups, InstantSource clock) {
        this.database = database;
        this.backups = backups;
        this.clock = clock;
    }

    public void bind(Operations operations) {
        operations.act("createBackup", this::create);
    }

    private CompletableFuture<Reply> create(Call call) {
        Path directory = backups.orElseThrow(() -> none("Start the server with a directory for them (--backups)."));
        String name = call.field("name").orElseGet(() -> STANDARD_NAME.format(clock.instant()));
        Path backup = directory.resolve(name).toAbsolutePath();
        return copy(backup)
                .thenApply(done -> Reply.json(
                        201,
                        new Fields()
                                .put("name", name)
                                .put("directory", backup.toString())
                                .node()))
                .exceptionally(error -> {
                    throw error instanceof CompletionException wrapped
                                    && wrapped.getCause() instanceof StorageException failure
                            ? failed(failure)
                            : new CompletionException(error);
                });
    }

    private CompletableFuture<Void> copy(Path backup) {
        try {
            return EmbeddedDatabase.backUp(database, backup);
        } catch (IllegalArgumentException e) {
            throw none(String.valueOf(e.getMessage()));
        }
    }

    private static ProblemException none(String detail) {
        return new ProblemException(
                Problem.of(409, "no-backups", "This server makes no backups.").detail(detail));
    }

    private static ProblemException failed(StorageException failure) {
        return new ProblemException(
                Problem.of(409, "backup-failed", "There is no backup.").detail(failure.getMessage()));
    }
}
