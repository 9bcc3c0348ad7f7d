package dev.couchjobs.fdb;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDB;
import com.apple.foundationdb.FDBException;
import java.util.Objects;
import java.util.concurrent.CompletionException;

/** Opens clusters: the one place that needs FoundationDB's native client. */
final class ClusterDatabase {
    private static final int API_VERSION = 730;

    private ClusterDatabase() {}

    static Database open(ClusterFile file, ClusterOptions options) {
        Database database = opened(file, options);
        try {
            if (!options.answerWithin().isZero()) {
                awaitAnswer(database, file, options);
            }
            return database;
        } catch (RuntimeException | Error e) {
            database.close();
            throw e;
        }
    }

    private static Database opened(ClusterFile file, ClusterOptions options) {
        try {
            FDB client = FDB.selectAPIVersion(API_VERSION);
            options.traces().ifPresent(directory -> client.options().setTraceEnable(directory.toString()));
            String path = file.path().toString();
            Database database = options.executor()
                    .map(executor -> client.open(path, executor))
                    .orElseGet(() -> client.open(path));
            database.options().setTransactionTimeout(options.timeout().toMillis());
            database.options().setTransactionRetryLimit(options.retries());
            database.options()
                    .setTransactionMaxRetryDelay(options.longestPause().toMillis());
            return database;
        } catch (UnsatisfiedLinkError | NoClassDefFoundError e) {
            throw new ClusterUnavailableException(MissingClientHelp.missing(e), e);
        } catch (FDBException | IllegalArgumentException e) {
            throw new ClusterUnavailableException(
                    "FoundationDB's client does not open " + file.path().toAbsolutePath() + ": " + e.getMessage()
                            + ". It has to be of version 7.3 or later (fdbcli --version tells), and this process has to"
                            + " use API version " + API_VERSION + " throughout.",
                    e);
        }
    }

    private static void awaitAnswer(Database database, ClusterFile file, ClusterOptions options) {
        try {
            database.readAsync(tx -> {
                        tx.options().setTimeout(options.answerWithin().toMillis());
                        return tx.getReadVersion();
                    })
                    .join();
        } catch (CompletionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            throw new ClusterUnavailableException(ClusterDiagnostics.explained(file, options, cause), cause);
        }
    }
}
