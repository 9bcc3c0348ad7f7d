package dev.couchjobs.bridge.internal.store;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * The bridge's own rows, in the database of its jobs, so that one commit can change both.
 *
 * <pre>
 * doc,     id, chunk            the entry of a document
 * rev,     id, chunk            its state in CouchDB
 * feed,    node, database       the position of that node in the feed
 * skipped, node, database, id   a document that could not be imported
 * forget,  time, id             when the entry of an ended document is removed
 * owner,   node                 the id of this store
 * out, later, watches_out       see {@link Outbox}
 * set, watches_set              see {@link NodeSets}
 * </pre>
 */
public final class BridgeStore {
    /** FoundationDB allows a client 10,000 watches, and each set needs one on each of its nodes. */
    private static final int SETS_MAX = 256;

    /** Documents are never deeper than this. */
    private static final int DEPTH = 2_000;

    private static final byte[] NOTHING = {};
    /** Keys have at most 10,000 bytes, and contain more than the id. */
    private static final int LONGEST_ID = 4_000;

    private final Subspace root;
    private final Outbox outbox;
    private final NodeSets sets;
    private final ObjectMapper json = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEPTH)
                            .maxStringLength(Integer.MAX_VALUE)
                            .maxNumberLength(Integer.MAX_VALUE)
                            .build())
                    .streamWriteConstraints(StreamWriteConstraints.builder()
                            .maxNestingDepth(DEPTH)
                            .build())
                    .build())
            .build();

    public BridgeStore(Subspace root) {
        this.root = root;
        this.outbox = new Outbox(root);
        this.sets = new NodeSets(root, SETS_MAX);
    }

    /** {@return the documents to write to CouchDB} */
    public Outbox outbox() {
        return outbox;
    }

    /** {@return the sets of nodes that steps target} */
    public NodeSets sets() {
        return sets;
    }

    /** {@return whether the store can contain an id} It contains neither half of a surrogate pair. */
    public static boolean isStorable(String id) {
        return id.getBytes(StandardCharsets.UTF_8).length <= LONGEST_ID
                && StandardCharsets.UTF_8.newEncoder().canEncode(id);
    }

    // Documents

    /** {@return the entry of a document} */
    public CompletableFuture<Optional<DocumentEntry>> find(ReadTransaction tx, String id) {
        return Chunks.read(tx, root.subspace(Tuple.from("doc", id)))
                .thenApply(bytes -> bytes.map(value -> json.readValue(value, DocumentEntry.class)));
    }

    /**
     * {@return the documents after an id, in the order of their ids; the entry of one that cannot be read is empty}
     *
     * @param most how many; fewer if they are large
     */
    public CompletableFuture<DocumentPage> page(ReadTransaction tx, Optional<String> after, int most) {
        return new DocumentPages(root.subspace(Tuple.from("doc")), bytes -> json.readValue(bytes, DocumentEntry.class))
                .read(tx, after, most);
    }

    /** Stores the entry of a document. */
    public void put(Transaction tx, String id, DocumentEntry entry) {
        Chunks.write(tx, root.subspace(Tuple.from("doc", id)), json.writeValueAsBytes(entry));
    }

    /** {@return the state of a document in CouchDB} */
    public CompletableFuture<Optional<PublishedState>> published(ReadTransaction tx, String id) {
        return Chunks.read(tx, root.subspace(Tuple.from("rev", id)))
                .thenApply(bytes -> bytes.map(value -> json.readValue(value, PublishedState.class)));
    }

    /** Stores the state of a document in CouchDB. */
    public void published(Transaction tx, String id, PublishedState published) {
        Chunks.write(tx, root.subspace(Tuple.from("rev", id)), json.writeValueAsBytes(published));
    }

    // The owner

    /**
     * Identifies the store, so that bridges with the same node name and other stores are detected.
     *
     * @param fresh the id for a store that has none
     * @return the id of this store
     */
    public CompletableFuture<String> owner(Transaction tx, String node, String fresh) {
        byte[] key = root.pack(Tuple.from("owner", node));
        return tx.get(key).thenApply(value -> {
            if (value == null) {
                tx.set(key, Tuple.from(fresh).pack());
            }
            return value == null ? fresh : Tuple.fromBytes(value).getString(0);
        });
    }

    // The feed

    /** {@return the position of a node in the feed of a database; empty before the first} */
    public CompletableFuture<Optional<JsonNode>> position(ReadTransaction tx, String node, String database) {
        return tx.get(feed(node, database))
                .thenApply(value -> Optional.ofNullable(value).map(json::readTree));
    }

    /** Stores the position of a node in the feed of a database. */
    public void position(Transaction tx, String node, String database, JsonNode position) {
        tx.set(feed(node, database), json.writeValueAsBytes(position));
    }

    /** Stores that a document of a feed could not be imported. */
    public void leftOut(Transaction tx, String node, String database, String id) {
        if (isStorable(id)) {
            tx.set(root.pack(Tuple.from("skipped", node, database, id)), NOTHING);
        }
    }

    /** Stores that a document of a feed was imported later. */
    public void notLeftOut(Transaction tx, String node, String database, String id) {
        if (isStorable(id)) {
            tx.clear(root.pack(Tuple.from("skipped", node, database, id)));
        }
    }

    /** {@return whether a document of a feed could not be imported} */
    public CompletableFuture<Boolean> isSkipped(ReadTransaction tx, String node, String database, String id) {
        return tx.get(root.pack(Tuple.from("skipped", node, database, id))).thenApply(Objects::nonNull);
    }

    /** {@return the first documents of a feed that could not be imported} */
    public CompletableFuture<List<String>> leftOut(ReadTransaction tx, String node, String database, int most) {
        Subspace place = root.subspace(Tuple.from("skipped", node, database));
        return tx.getRange(place.range(), most)
                .asList()
                .thenApply(rows -> rows.stream()
                        .map(row -> place.unpack(row.getKey()).getString(0))
                        .toList());
    }

    private byte[] feed(String node, String database) {
        return root.pack(Tuple.from("feed", node, database));
    }

    // Ended documents

    /** Removes the entry of a document at a later time. */
    public void forgetAt(Transaction tx, String id, Instant time) {
        tx.set(root.pack(Tuple.from("forget", time.getEpochSecond(), id)), new byte[0]);
    }

    /** Removes entries whose time has passed, up to a limit. {@return whether there may be more} */
    public CompletableFuture<Boolean> forget(Transaction tx, Instant now, int limit) {
        Subspace old = root.subspace(Tuple.from("forget"));
        byte[] end = old.pack(Tuple.from(now.getEpochSecond() + 1));
        return tx.snapshot().getRange(old.range().begin, end, limit).asList().thenCompose(rows -> {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (KeyValue row : rows) {
                tx.clear(row.getKey());
                all.add(forget(tx, old.unpack(row.getKey()).getString(1)));
            }
            return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                    .thenApply(done -> rows.size() == limit);
        });
    }

    /** A document that is live again is kept. */
    private CompletableFuture<Void> forget(Transaction tx, String id) {
        return find(tx, id).thenAccept(entry -> {
            if (entry.filter(DocumentEntry::isLive).isEmpty()) {
                tx.clear(root.range(Tuple.from("doc", id)));
                tx.clear(root.range(Tuple.from("rev", id)));
            }
        });
    }
}
