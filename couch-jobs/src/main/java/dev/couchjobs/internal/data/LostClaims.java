package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.loop.ArmedWatch;
import java.util.concurrent.CompletableFuture;

/** Tells the holders of a type's claims that some claim has ended other than by its holder. */
public final class LostClaims {
    private LostClaims() {}

    static void wakeHolders(Transaction tx, TypeKeys keys, int userVersion) {
        IncompleteVersionstamps.touch(tx, keys.watchesLost(), userVersion);
    }

    /** {@return a watch that fires when a holder loses a claim after this transaction} */
    public static CompletableFuture<ArmedWatch> watch(Transaction tx, TypeKeys keys) {
        return ArmedWatch.arm(tx, keys.watchesLost());
    }
}
