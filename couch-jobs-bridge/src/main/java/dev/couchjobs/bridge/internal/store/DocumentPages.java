package dev.couchjobs.bridge.internal.store;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import tools.jackson.core.JacksonException;

/** Reads documents in the order of their ids, a bounded number of bytes at a time. */
final class DocumentPages {
    /** A page ends with the document that reaches this size. */
    private static final int BYTES_MAX = 1024 * 1024;

    private static final int ROWS = 50;

    private final Subspace documents;
    private final Function<byte[], DocumentEntry> decoder;

    DocumentPages(Subspace documents, Function<byte[], DocumentEntry> decoder) {
        this.documents = documents;
        this.decoder = decoder;
    }

    CompletableFuture<DocumentPage> read(ReadTransaction tx, Optional<String> after, int most) {
        byte[] begin = after.map(id -> documents.range(Tuple.from(id)).end).orElse(documents.range().begin);
        Collected collected = new Collected(most);
        return collect(tx.snapshot(), begin, collected).thenApply(done -> collected.page());
    }

    private CompletableFuture<Void> collect(ReadTransaction tx, byte[] begin, Collected collected) {
        return tx.getRange(begin, documents.range().end, ROWS).asList().thenCompose(rows -> {
            for (KeyValue row : rows) {
                if (!collected.add(documents.unpack(row.getKey()).getString(0), row.getValue())) {
                    return CompletableFuture.completedFuture(null);
                }
            }
            if (rows.size() < ROWS) {
                collected.end();
                return CompletableFuture.completedFuture(null);
            }
            return collect(tx, ByteArrayUtil.keyAfter(rows.get(ROWS - 1).getKey()), collected);
        });
    }

    /** The documents of a page, chunk by chunk. */
    private final class Collected {
        private final int most;
        private final List<DocumentPage.Item> items = new ArrayList<>();
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private Optional<String> current = Optional.empty();
        private int bytes;
        private boolean hasMore;

        Collected(int most) {
            this.most = most;
        }

        /** {@return whether the page goes on} */
        boolean add(String id, byte[] chunk) {
            if (!current.equals(Optional.of(id))) {
                endDocument();
                if (items.size() >= most || bytes >= BYTES_MAX) {
                    hasMore = true;
                    return false;
                }
                current = Optional.of(id);
            }
            body.writeBytes(chunk);
            return true;
        }

        void end() {
            endDocument();
        }

        private void endDocument() {
            current.ifPresent(id -> items.add(new DocumentPage.Item(id, entry(body.toByteArray()))));
            current = Optional.empty();
            bytes += body.size();
            body.reset();
        }

        private Optional<DocumentEntry> entry(byte[] value) {
            try {
                return Optional.of(decoder.apply(value));
            } catch (JacksonException e) {
                return Optional.empty();
            }
        }

        DocumentPage page() {
            return new DocumentPage(items, hasMore);
        }
    }
}
