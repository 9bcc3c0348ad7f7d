package dev.couchjobs.bridge.testing;

import dev.couchjobs.bridge.internal.couch.DocumentChange;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A database without faults: all methods act on its contents at once. Call them on the thread of its {@link
 * ModelCouch}.
 *
 * <p>Like a database of several shards it has no total order of changes. The changes of each shard are in order, and
 * the shards are interleaved at random. A document appears once, in its last version, however often it has changed.
 */
public final class ModelCouchDatabase {
    private static final int SHARDS = 2;
    private static final int LARGEST_DOCUMENT = 8_000_000;

    private final String incarnation;
    private final RandomGenerator random;
    private final Runnable changed;
    private final Map<String, RevisionTree> documents = new TreeMap<>();
    private final List<Shard> shards =
            IntStream.range(0, SHARDS).mapToObj(shard -> new Shard()).toList();
    private Function<ObjectNode, Optional<String>> validation = document -> Optional.empty();
    private Predicate<String> isHidden = id -> false;
    private UnaryOperator<StoredDocument> lag = UnaryOperator.identity();

    /** @param changed runs after each change */
    ModelCouchDatabase(String incarnation, RandomGenerator random, Runnable changed) {
        this.incarnation = incarnation;
        this.random = random;
        this.changed = changed;
    }

    String incarnation() {
        return incarnation;
    }

    /** {@return the ids of all documents, also deleted ones, in order} */
    public List<String> ids() {
        return List.copyOf(documents.keySet());
    }

    /**
     * Hides documents from reads, as a shard that lags does. Feeds still contain them.
     *
     * @param which selects their ids
     */
    public void hide(Predicate<String> which) {
        isHidden = which;
    }

    /**
     * Returns other versions of documents to readers, as a shard that lags does. Writes act on the newest version.
     *
     * @param shown returns the version to read
     */
    public void lag(UnaryOperator<StoredDocument> shown) {
        lag = shown;
    }

    /** {@return a document as a client reads it} */
    StoredDocument shown(String id) {
        return isHidden.test(id) ? new StoredDocument(id, List.of()) : lag.apply(read(id));
    }

    /** {@return a document with its leaves} */
    public StoredDocument read(String id) {
        List<Leaf> leaves = leaves(id);
        List<Leaf> shown = new ArrayList<>();
        for (Leaf leaf : leaves) {
            if (shown.isEmpty() || !leaf.isDeleted()) {
                shown.add(leaf);
            }
        }
        return new StoredDocument(id, shown);
    }

    /** {@return all leaves of a document, also deleted ones, the winning one first} */
    public List<Leaf> leaves(String id) {
        RevisionTree tree = documents.get(id);
        return tree == null ? List.of() : tree.leaves();
    }

    /** {@return whether this database contains a revision of a document} */
    public boolean knows(String id, String revision) {
        RevisionTree tree = documents.get(id);
        return tree != null && tree.knows(revision);
    }

    /** {@return the revisions of all leaves of all documents; equal in replicas that have converged} */
    public Map<String, List<String>> revisions() {
        Map<String, List<String>> revisions = new TreeMap<>();
        documents.forEach((id, tree) ->
                revisions.put(id, tree.leaves().stream().map(Leaf::revision).toList()));
        return revisions;
    }

    /** Writes a document on the revision in its {@code _rev}, or as a new one. */
    public WriteResult write(ObjectNode document) {
        String id = document.get("_id").asString();
        Optional<WriteResult> refused = refusal(id, document);
        if (refused.isPresent()) {
            return refused.get();
        }
        Optional<String> onto = Optional.ofNullable(document.get("_rev")).map(JsonNode::asString);
        Optional<String> revision = tree(id).edit(onto, isDeleted(document), document);
        if (revision.isEmpty()) {
            forgetIfEmpty(id);
            return new WriteResult.Conflict(id);
        }
        noteChange(id);
        return new WriteResult.Accepted(id, revision.get());
    }

    /**
     * Refuses documents from now on.
     *
     * @param why returns the reason to refuse a document or a deletion; empty to accept it
     */
    public void validate(Function<ObjectNode, Optional<String>> why) {
        validation = why;
    }

    private Optional<WriteResult> refusal(String id, ObjectNode document) {
        if (id.isEmpty() || (id.startsWith("_") && !id.startsWith("_design/"))) {
            return Optional.of(new WriteResult.Refused(
                    id, "illegal_docid", "Only reserved document ids may start with underscore."));
        }
        if (document.toString().length() > LARGEST_DOCUMENT) {
            return Optional.of(new WriteResult.Refused(id, "document_too_large", id));
        }
        return validation.apply(document).map(why -> new WriteResult.Refused(id, "forbidden", why));
    }

    private static boolean isDeleted(ObjectNode document) {
        return document.path("_deleted").asBoolean(false);
    }

    /** Adds a branch from another replica beside the local ones. */
    boolean graft(String id, Branch branch) {
        boolean isNew = tree(id).graft(branch);
        if (isNew) {
            noteChange(id);
        }
        return isNew;
    }

    /** Adds a version that conflicts with the local one, as a write without new edits does. */
    public void conflict(String revision, ObjectNode document) {
        graft(document.path("_id").asString(), new Branch(List.of(revision), false, document));
    }

    List<Branch> branches(String id) {
        RevisionTree tree = documents.get(id);
        return tree == null ? List.of() : tree.branches();
    }

    private RevisionTree tree(String id) {
        return documents.computeIfAbsent(id, RevisionTree::new);
    }

    private void forgetIfEmpty(String id) {
        if (leaves(id).isEmpty()) {
            documents.remove(id);
        }
    }

    private void noteChange(String id) {
        shards.get(Math.floorMod(id.hashCode(), SHARDS)).changed(id);
        changed.run();
    }

    /**
     * Reads changes.
     *
     * @param since a position; null, or one of another incarnation, for the beginning
     * @param most the largest number of rows
     */
    Changes changes(@Nullable ModelPosition since, int most) {
        List<Long> read = new ArrayList<>(known(since).shards());
        List<DocumentChange> rows = new ArrayList<>();
        List<Integer> open = new ArrayList<>(IntStream.range(0, SHARDS).boxed().toList());
        while (rows.size() < most && !open.isEmpty()) {
            Integer shard = open.get(random.nextInt(open.size()));
            Optional<Shard.Row> next = shards.get(shard).after(read.get(shard));
            next.ifPresent(row -> {
                read.set(shard, row.sequence());
                rows.add(row(row.id()));
            });
            if (next.isEmpty()) {
                open.remove(shard);
            }
        }
        return new Changes(rows, new ModelPosition(incarnation, read));
    }

    private DocumentChange row(String id) {
        List<Leaf> leaves = leaves(id);
        return new DocumentChange(
                id, leaves.stream().map(Leaf::revision).toList(), leaves.get(0).isDeleted());
    }

    /** {@return a position at or before another, as after the loss of a replica of a shard} */
    ModelPosition before(@Nullable ModelPosition position) {
        List<Long> earlier = known(position).shards().stream()
                .map(sequence -> sequence - random.nextLong(Math.min(sequence, 5) + 1))
                .toList();
        return new ModelPosition(incarnation, earlier);
    }

    private ModelPosition known(@Nullable ModelPosition position) {
        return position != null && position.incarnation().equals(incarnation)
                ? position
                : ModelPosition.beginning(incarnation, SHARDS);
    }
}
