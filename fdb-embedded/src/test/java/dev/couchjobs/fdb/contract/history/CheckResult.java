package dev.couchjobs.fdb.contract.history;

import java.util.List;
import java.util.stream.Collectors;

/** What the two checkers make of a history. */
final class CheckResult {

    private CheckResult() {}

    /** What is wrong, in words; empty if the history is strictly serializable and as the database claims. */
    static String on(List<ObservedTransaction> history) {
        String search = OrderSearch.violation(history).map(text -> text + "\n").orElse("");
        String claims = ClaimedOrder.violations(history).stream()
                .map(text -> "Against the claims of the database, it " + text + "\n")
                .collect(Collectors.joining());
        return search + claims;
    }
}
