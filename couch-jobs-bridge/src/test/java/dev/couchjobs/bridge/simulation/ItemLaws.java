package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.simulation.ActionAttempt.End;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/**
 * The laws that hold whenever the work on an item begins: the item is due and claimed by no other, the pauses are
 * right, and the work is not repeated after its process has begun to write the outcome.
 */
final class ItemLaws {
    private final BridgeScenario scenario;
    private final Map<String, Item> items;
    private final LawViolations violations;
    /** The last try of which an outcome was written. */
    private final Map<String, Integer> told = new HashMap<>();
    /** The number of failures before another program claimed the item. */
    private final Map<String, Integer> strangers = new HashMap<>();

    private boolean isExempt;

    ItemLaws(BridgeScenario scenario, Map<String, Item> items, LawViolations violations) {
        this.scenario = scenario;
        this.items = items;
        this.violations = violations;
    }

    /** Exempts all items after the loss of a store. */
    void exempt() {
        isExempt = true;
    }

    /** Records a write of a node. */
    void isWritten(ObjectNode document) {
        String id = document.path("_id").asString();
        if (!items.containsKey(id)) {
            return;
        }
        if (document.path("_deleted").asBoolean(false)
                || document.path("status").asString("").equals("fail")) {
            told.put(id, Integer.MAX_VALUE);
        } else if (!document.path("claimed").asBoolean(false)) {
            told.merge(id, document.path("attempts").asInt(0), Math::max);
        }
    }

    /** Records the claim of another program on an item with the given number of failures. */
    void isTaken(Item item, int failures) {
        strangers.put(item.id(), failures);
    }

    void isSetFree(Item item) {
        strangers.remove(item.id());
    }

    boolean isStrangers(Item item) {
        return strangers.containsKey(item.id());
    }

    void begins(ActionAttempt attempt, List<ActionAttempt> before) {
        Item item = items.get(attempt.document);
        if (item == null) {
            violations.add("Nobody has asked for " + attempt);
            return;
        }
        List<ActionAttempt> same =
                before.stream().filter(each -> each.document.equals(item.id())).toList();
        require(item.nodes().contains(attempt.node), attempt, "is not for that node", same);
        require(
                !scenario.hasRightClocks() || attempt.begin.compareTo(item.due()) >= 0,
                attempt,
                "comes before it is due, at " + item.due(),
                same);
        // A node that had claimed it before the other program, and has lost it without knowing, may begin an earlier
        // try.
        require(
                attempt.number <= strangers.getOrDefault(item.id(), Integer.MAX_VALUE),
                attempt,
                "is claimed by a stranger",
                same);
        if (!isExempt) {
            once(attempt, same);
            retried(item, attempt, same);
        }
    }

    private void once(ActionAttempt attempt, List<ActionAttempt> same) {
        require(
                attempt.number > told.getOrDefault(attempt.document, 0),
                attempt,
                "begins though it was told what came of it",
                same);
        boolean isAgain = same.stream().anyMatch(each -> each.number == attempt.number && each.end != End.STOPPED);
        require(!isAgain || scenario.kind() == BridgeScenario.Kind.WILD, attempt, "was begun already", same);
    }

    private void retried(Item item, ActionAttempt attempt, List<ActionAttempt> same) {
        require(attempt.number <= item.retry().maxRetries() + 1, attempt, "is one too many", same);
        if (attempt.number == 1) {
            return;
        }
        List<ActionAttempt> failed = same.stream()
                .filter(each -> each.end == End.FAILURE && each.number == attempt.number - 1)
                .toList();
        require(!failed.isEmpty(), attempt, "follows no try that failed", same);
        if (!failed.isEmpty() && scenario.hasRightClocks()) {
            Duration pause =
                    item.retry().pauseAfter(attempt.number - 1, Duration.ZERO).orElse(Duration.ZERO);
            require(
                    attempt.begin.compareTo(failed.get(0).endTime().plus(pause)) >= 0,
                    attempt,
                    "comes before the pause is over",
                    same);
        }
    }

    private void require(boolean held, ActionAttempt attempt, String otherwise, List<ActionAttempt> before) {
        if (!held) {
            violations.add("<" + attempt + "> " + otherwise + "; before it were:\n  "
                    + String.join(
                            "\n  ", before.stream().map(ActionAttempt::toString).toList()));
        }
    }
}
