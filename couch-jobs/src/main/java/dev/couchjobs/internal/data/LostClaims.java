package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
import java.util.concurrent.CompletableFuture;

/** Tells the holders of a type's claims that some claim has ended other than by its holder. */
public final class LostClaims {
    private LostClaims() {}

    static void wakeHolders(Transaction tx, TypeKeys keys, int userVersion) {
        IncompleteVersionstamps.touch(tx, keys.watchesLost(), userVersion);
    }

    /** {@return a future that completes when a holder loses a claim after this transaction} */
    public static CompletableFuture<Void> watch(Transaction tx, TypeKeys keys) {
        return tx.watch(keys.watchesLost());
    }
}
