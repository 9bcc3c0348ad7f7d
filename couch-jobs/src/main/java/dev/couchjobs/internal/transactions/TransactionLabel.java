package dev.couchjobs.internal.transactions;

import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.loop.TransactionIdentifier;
import org.jspecify.annotations.Nullable;

/**
 * The tag and the identifier of a transaction of the library. Operators use the tag to throttle all such transactions,
 * and the identifier to find them in traces and profiles.
 *
 * <p>The tag is set with {@code setTag}, not {@code setAutoThrottleTag}: only operators throttle it. When a storage
 * server is overloaded, a cluster throttles transactions with the other kind of tag by itself, which would delay the
 * ends of jobs that have run.
 *
 * @param name the first word of the identifier
 * @param tag null for none
 * @param identifier at most 100 bytes of UTF-8, FoundationDB's limit
 * @param traced whether the client traces every operation
 * @param purpose what the transaction is for, or empty
 * @param typeName the job type; empty for several types
 */
public record TransactionLabel(
        String name, @Nullable String tag, String identifier, boolean traced, String purpose, String typeName) {
    /** {@return a label without a purpose} */
    public static TransactionLabel tagged(String tag, boolean traced) {
        return new TransactionLabel(tag, tag, tag, traced, "", "");
    }

    /**
     * {@return this label with the purpose of a transaction}
     *
     * @param newTypeName the job type; empty for several types
     */
    public TransactionLabel named(String newPurpose, String newTypeName) {
        String text = TransactionIdentifier.of((name + " " + newPurpose + " " + newTypeName).strip());
        return new TransactionLabel(name, tag, text, traced, newPurpose, newTypeName);
    }

    TransactionLabel untagged() {
        return new TransactionLabel(name, null, identifier, traced, purpose, typeName);
    }

    /** Sets the label on one try. A retry resets both options, so every try sets them. */
    public void put(ReadTransaction tx) {
        tag(tx);
        tx.options().setDebugTransactionIdentifier(identifier);
        if (traced) {
            tx.options().setLogTransaction();
        }
    }

    void tag(ReadTransaction tx) {
        if (tag != null) {
            tx.options().setTag(tag);
        }
    }
}
