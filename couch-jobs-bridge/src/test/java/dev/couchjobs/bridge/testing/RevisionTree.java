package dev.couchjobs.bridge.testing;

import dev.couchjobs.bridge.internal.couch.Leaf;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** All revisions of one document in one database. Unlike that of a server it is never pruned. */
final class RevisionTree {
    /**
     * Not deleted before deleted, then the longer history, then the greater revision. The order is the same on every
     * replica.
     */
    private static final Comparator<Leaf> WINNER_FIRST = Comparator.comparing(Leaf::isDeleted)
            .thenComparing(Comparator.comparingLong(Leaf::generation).reversed())
            .thenComparing(Leaf::revision, Comparator.reverseOrder());

    private final String id;
    /** The predecessor of each revision; empty for the first of a branch. */
    private final Map<String, Optional<String>> before = new HashMap<>();

    private final NavigableSet<Leaf> leaves = new TreeSet<>(WINNER_FIRST);

    RevisionTree(String id) {
        this.id = id;
    }

    /** {@return the leaves, the winning one first} */
    List<Leaf> leaves() {
        return List.copyOf(leaves);
    }

    boolean isDeleted() {
        return !leaves.isEmpty() && leaves.first().isDeleted();
    }

    /** {@return whether the tree contains a revision} */
    boolean knows(String revision) {
        return before.containsKey(revision);
    }

    /**
     * Adds a revision after an edit.
     *
     * @param onto the edited revision; empty for a new document
     * @return the new revision; empty if there is a conflict
     */
    Optional<String> edit(Optional<String> onto, boolean isDeleted, ObjectNode document) {
        if (!isAllowed(onto, isDeleted)) {
            return Optional.empty();
        }
        Optional<String> parent =
                onto.isEmpty() && isDeleted() ? Optional.of(leaves.first().revision()) : onto;
        String revision = Revisions.next(parent, isDeleted, document);
        grow(revision, parent);
        leaves.add(leaf(revision, isDeleted, document));
        return Optional.of(revision);
    }

    /**
     * A document that is deleted on all branches can only be created again, without a revision. It then continues from
     * the winning deletion; see merge_rev_tree in couch_db_updater.
     */
    private boolean isAllowed(Optional<String> onto, boolean isDeleted) {
        if (isDeleted()) {
            return onto.isEmpty() && !isDeleted;
        }
        return onto.map(this::isLeaf).orElseGet(leaves::isEmpty);
    }

    private boolean isLeaf(String revision) {
        return leaf(revision).isPresent();
    }

    private Optional<Leaf> leaf(String revision) {
        return leaves.stream().filter(leaf -> leaf.revision().equals(revision)).findFirst();
    }

    /**
     * Adds a branch from another replica.
     *
     * @return whether it contains a new revision
     */
    boolean graft(Branch branch) {
        if (knows(branch.revision())) {
            return false;
        }
        List<String> history = branch.revisions();
        for (int i = 0; i < history.size() && !knows(history.get(i)); i++) {
            grow(history.get(i), i + 1 < history.size() ? Optional.of(history.get(i + 1)) : Optional.empty());
        }
        leaves.add(leaf(branch.revision(), branch.isDeleted(), branch.body()));
        return true;
    }

    private void grow(String revision, Optional<String> parent) {
        before.put(revision, parent);
        parent.flatMap(this::leaf).ifPresent(leaves::remove);
    }

    /** {@return the leaves with their histories} */
    List<Branch> branches() {
        return leaves.stream()
                .map(leaf -> new Branch(history(leaf.revision()), leaf.isDeleted(), leaf.body()))
                .toList();
    }

    private List<String> history(String revision) {
        List<String> history = new ArrayList<>();
        Stream.iterate(Optional.of(revision), Optional::isPresent, known -> known.flatMap(before::get))
                .forEach(known -> known.ifPresent(history::add));
        return history;
    }

    private Leaf leaf(String revision, boolean isDeleted, ObjectNode document) {
        ObjectNode body = document.objectNode();
        body.setAll(Revisions.content(document));
        body.put("_id", id).put("_rev", revision); // at the end, unlike CouchDB: no client may depend on the order
        if (isDeleted) {
            body.put("_deleted", true);
        }
        return new Leaf(revision, isDeleted, body);
    }
}
