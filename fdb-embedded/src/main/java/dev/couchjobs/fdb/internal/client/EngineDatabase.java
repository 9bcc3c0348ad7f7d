package dev.couchjobs.fdb.internal.client;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.DatabaseOptions;
import com.apple.foundationdb.EventKeeper;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.KeyRangeArrayResult;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Tenant;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.fdb.internal.commit.Engine;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The engine behind FoundationDB's interface. */
public final class EngineDatabase implements Database {
    private final Engine engine;
    private final boolean inDirectory;
    private final Runnable awaitRelease;
    private final DatabaseSettings settings;
    private final DatabaseOptions options;

    /** {@code inDirectory} says whether it is kept on disk: then closing blocks until the storage is closed. */
    public EngineDatabase(Engine engine, boolean inDirectory) {
        this(engine, inDirectory, () -> {});
    }

    /** {@code awaitRelease} blocks until the engine has let go of its environment. */
    public EngineDatabase(Engine engine, boolean inDirectory, Runnable awaitRelease) {
        this.engine = engine;
        this.inDirectory = inDirectory;
        this.awaitRelease = awaitRelease;
        this.settings = new DatabaseSettings(engine);
        this.options = new DatabaseOptions(settings::set);
    }

    @Override
    public EmbeddedTransaction createTransaction(Executor e) {
        if (engine.isClosed()) {
            throw new IllegalStateException("The database is closed");
        }
        return new EmbeddedTransaction(this, engine, new ClientTransaction(engine, e, settings.defaults()));
    }

    /** There is no native client whose events could be kept. */
    @Override
    public Transaction createTransaction(Executor e, @Nullable EventKeeper eventKeeper) {
        return createTransaction(e);
    }

    @Override
    public <T> T run(Function<? super Transaction, T> retryable, Executor e) {
        return RetryLoop.run(createTransaction(e), retryable);
    }

    @Override
    public <T> CompletableFuture<T> runAsync(
            Function<? super Transaction, ? extends CompletableFuture<T>> retryable, Executor e) {
        return RetryLoop.runAsync(createTransaction(e), e, retryable);
    }

    @Override
    public <T> T read(Function<? super ReadTransaction, T> retryable, Executor e) {
        return run(retryable, e);
    }

    @Override
    public <T> CompletableFuture<T> readAsync(
            Function<? super ReadTransaction, ? extends CompletableFuture<T>> retryable, Executor e) {
        return runAsync(retryable, e);
    }

    @Override
    public DatabaseOptions options() {
        return options;
    }

    @Override
    public Executor getExecutor() {
        return engine.executor();
    }

    /** There is no network thread that could be busy. */
    @Override
    public double getMainThreadBusyness() {
        return 0;
    }

    @Override
    public void close() {
        CompletableFuture<?> closed = engine.close();
        try {
            if (inDirectory) {
                awaitUnwrapped(closed);
            }
        } finally {
            awaitRelease.run();
        }
    }

    public boolean isInDirectory() {
        return inDirectory;
    }

    /** {@return completes with the error that has stopped the engine for good} */
    public CompletableFuture<FDBException> failure() {
        return engine.failure().future();
    }

    /** Writes a copy. {@return completes when it is on disk} */
    public CompletableFuture<@Nullable Void> backUp(Path directory) {
        return engine.backUp(directory);
    }

    private static void awaitUnwrapped(CompletableFuture<?> closed) {
        try {
            closed.join();
        } catch (CompletionException error) {
            throw error.getCause() instanceof RuntimeException cause ? cause : error;
        }
    }

    @Override
    public Tenant openTenant(Tuple tenantName) {
        throw Unsupported.tenants();
    }

    @Override
    public Tenant openTenant(byte[] tenantName, Executor e) {
        throw Unsupported.tenants();
    }

    @Override
    public Tenant openTenant(Tuple tenantName, Executor e) {
        throw Unsupported.tenants();
    }

    @Override
    public Tenant openTenant(byte[] tenantName, Executor e, @Nullable EventKeeper eventKeeper) {
        throw Unsupported.tenants();
    }

    @Override
    public Tenant openTenant(Tuple tenantName, Executor e, @Nullable EventKeeper eventKeeper) {
        throw Unsupported.tenants();
    }

    @Override
    public CompletableFuture<byte[]> purgeBlobGranules(
            byte[] beginKey, byte[] endKey, long purgeVersion, boolean force, Executor e) {
        throw Unsupported.blobGranules();
    }

    @Override
    public CompletableFuture<Void> waitPurgeGranulesComplete(byte[] purgeKey, Executor e) {
        throw Unsupported.blobGranules();
    }

    @Override
    public CompletableFuture<Boolean> blobbifyRange(byte[] beginKey, byte[] endKey, Executor e) {
        throw Unsupported.blobGranules();
    }

    @Override
    public CompletableFuture<Boolean> blobbifyRangeBlocking(byte[] beginKey, byte[] endKey, Executor e) {
        throw Unsupported.blobGranules();
    }

    @Override
    public CompletableFuture<Boolean> unblobbifyRange(byte[] beginKey, byte[] endKey, Executor e) {
        throw Unsupported.blobGranules();
    }

    @Override
    public CompletableFuture<KeyRangeArrayResult> listBlobbifiedRanges(
            byte[] beginKey, byte[] endKey, int rangeLimit, Executor e) {
        throw Unsupported.blobGranules();
    }

    @Override
    public CompletableFuture<Long> verifyBlobRange(byte[] beginKey, byte[] endKey, long version, Executor e) {
        throw Unsupported.blobGranules();
    }

    @Override
    public CompletableFuture<Boolean> flushBlobRange(
            byte[] beginKey, byte[] endKey, boolean compact, long version, Executor e) {
        throw Unsupported.blobGranules();
    }

    @Override
    public CompletableFuture<byte[]> getClientStatus(Executor e) {
        throw Unsupported.clientStatus();
    }
}
