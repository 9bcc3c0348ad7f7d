package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.simulation.ActionAttempt.End;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** The laws of work items at the end: each was deleted, has failed with a reason, or belongs to another program. */
final class ItemEnds {
    private final Collection<Item> items;
    private final Function<Item, List<Leaf>> leaves;
    private final ItemLaws laws;
    private final ActionJournal journal;

    /** @param leaves returns the leaves of an item in CouchDB */
    ItemEnds(Collection<Item> items, Function<Item, List<Leaf>> leaves, ItemLaws laws, ActionJournal journal) {
        this.items = items;
        this.leaves = leaves;
        this.laws = laws;
        this.journal = journal;
    }

    /** Adds what has not reached its final state. */
    void unfinished(List<String> all) {
        for (Item item : items) {
            List<Leaf> found = leaves.apply(item);
            if (found.isEmpty()) {
                all.add(item.id() + " is not there");
            } else if (!found.get(0).isDeleted() && !hasEnded(item, found.get(0).body())) {
                all.add(item.id() + " has no end: " + found.get(0).body());
            }
        }
    }

    private boolean hasEnded(Item item, JsonNode body) {
        boolean cannotBeTold =
                item.refusal() == Item.Refusal.OUTCOME && body.hasNonNull("claimed_by") && hasComeOf(item);
        return body.path("status").asString("").equals("fail") || cannotBeTold || laws.isStrangers(item);
    }

    /** Checks the final state. */
    void check() {
        for (Item item : items) {
            Leaf leaf = leaves.apply(item).get(0);
            if (laws.isStrangers(item)) {
                continue;
            }
            if (leaf.isDeleted()) {
                require(hasSucceeded(item), item, "was deleted, and is not done", leaf);
            } else if (leaf.body().path("status").asString("").equals("fail")) {
                require(!leaf.body().path("reason").asString("").isEmpty(), item, "gives no reason", leaf);
                boolean mayFail = !item.succeeds() || item.refusal() != Item.Refusal.NOTHING;
                require(mayFail, item, "has failed", leaf);
            }
        }
    }

    private boolean hasSucceeded(Item item) {
        return journal.of(item.id(), 0).stream().anyMatch(each -> each.end == End.SUCCESS);
    }

    private boolean hasComeOf(Item item) {
        return hasSucceeded(item) || journal.of(item.id(), 0).stream().anyMatch(each -> each.end == End.FAILURE);
    }

    private void require(boolean held, Item item, String otherwise, Leaf leaf) {
        if (!held) {
            throw new AssertionError(item + " " + otherwise + ": " + leaf + "\n  "
                    + String.join(
                            "\n  ",
                            journal.of(item.id(), 0).stream()
                                    .map(ActionAttempt::toString)
                                    .toList()));
        }
    }
}
