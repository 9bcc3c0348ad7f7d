package dev.couchjobs.internal.transactions;

import com.apple.foundationdb.ReadTransaction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The tag and the identifier of a transaction of the library. Operators use the tag to throttle all such transactions,
 * and the identifier to find them in traces and profiles.
 *
 * <p>The tag is one that only people throttle. Where a storage server is overloaded the cluster would throttle by
 * itself what carries the other kind, and with it the ends of jobs that have been done.
 *
 * @param name with what the identifier begins
 * @param tag null for none
 * @param identifier of at most 100 bytes of UTF-8, which is all that FoundationDB takes
 * @param traced whether the client's traces contain every step
 */
public record TransactionLabel(String name, @Nullable String tag, String identifier, boolean traced) {
    private static final int IDENTIFIER_BYTES_MAX = 100;

    /** {@return a label with nothing but a tag} */
    public static TransactionLabel tagged(String tag, boolean traced) {
        return new TransactionLabel(tag, tag, tag, traced);
    }

    /**
     * {@return the same with what a transaction is for}
     *
     * @param typeName of which type it is; empty if it is of several
     */
    public TransactionLabel named(String purpose, String typeName) {
        return new TransactionLabel(name, tag, cut((name + " " + purpose + " " + typeName).strip()), traced);
    }

    TransactionLabel untagged() {
        return new TransactionLabel(name, null, identifier, traced);
    }

    /** Both are forgotten with every retry, and so have to be given to every try. */
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

    private static String cut(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length <= IDENTIFIER_BYTES_MAX) {
            return text;
        }
        int end = IDENTIFIER_BYTES_MAX;
        while ((utf8[end] & 0xC0) == 0x80) { // in the middle of a character
            end--;
        }
        return new String(utf8, 0, end, StandardCharsets.UTF_8);
    }
}
