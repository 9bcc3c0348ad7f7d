package dev.couchjobs.fdb.model;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.EventKeeper;
import com.apple.foundationdb.KeyRangeArrayResult;
import com.apple.foundationdb.Tenant;
import com.apple.foundationdb.tuple.Tuple;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A database without tenants, blob granules and a client of its own. */
interface BareDatabase extends Database {

    private static UnsupportedOperationException absent() {
        return new UnsupportedOperationException("Not part of the model");
    }

    @Override
    default Tenant openTenant(Tuple name) {
        throw absent();
    }

    @Override
    default Tenant openTenant(byte[] name, Executor e) {
        throw absent();
    }

    @Override
    default Tenant openTenant(Tuple name, Executor e) {
        throw absent();
    }

    @Override
    default Tenant openTenant(byte[] name, Executor e, @Nullable EventKeeper keeper) {
        throw absent();
    }

    @Override
    default Tenant openTenant(Tuple name, Executor e, @Nullable EventKeeper keeper) {
        throw absent();
    }

    @Override
    default CompletableFuture<byte[]> purgeBlobGranules(
            byte[] begin, byte[] end, long version, boolean force, Executor e) {
        throw absent();
    }

    @Override
    default CompletableFuture<Void> waitPurgeGranulesComplete(byte[] key, Executor e) {
        throw absent();
    }

    @Override
    default CompletableFuture<Boolean> blobbifyRange(byte[] begin, byte[] end, Executor e) {
        throw absent();
    }

    @Override
    default CompletableFuture<Boolean> blobbifyRangeBlocking(byte[] begin, byte[] end, Executor e) {
        throw absent();
    }

    @Override
    default CompletableFuture<Boolean> unblobbifyRange(byte[] begin, byte[] end, Executor e) {
        throw absent();
    }

    @Override
    default CompletableFuture<KeyRangeArrayResult> listBlobbifiedRanges(
            byte[] begin, byte[] end, int limit, Executor e) {
        throw absent();
    }

    @Override
    default CompletableFuture<Long> verifyBlobRange(byte[] begin, byte[] end, long version, Executor e) {
        throw absent();
    }

    @Override
    default CompletableFuture<Boolean> flushBlobRange(
            byte[] begin, byte[] end, boolean compact, long version, Executor e) {
        throw absent();
    }

    @Override
    default CompletableFuture<byte[]> getClientStatus(Executor e) {
        throw absent();
    }
}
