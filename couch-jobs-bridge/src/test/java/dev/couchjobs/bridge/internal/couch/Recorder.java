package dev.couchjobs.bridge.internal.couch;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** Records the calls of a feed. It can leave a call incomplete, and detects a next one that begins nevertheless. */
final class Recorder implements ChangesListener {
    private final List<Call> calls = new ArrayList<>();
    private final List<Expectation> expectations = new ArrayList<>();
    private CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);
    private CompletableFuture<Void> last = answer;
    private boolean wasCalledWhileBusy;

    record Call(List<DocumentChange> changes, JsonNode position) {}

    private record Expectation(Predicate<List<Call>> condition, CompletableFuture<List<Call>> met) {}

    @Override
    public synchronized CompletableFuture<Void> changed(List<DocumentChange> changes, JsonNode position) {
        wasCalledWhileBusy |= !last.isDone();
        last = answer;
        calls.add(new Call(changes, position));
        for (Expectation expectation : List.copyOf(expectations)) {
            if (expectation.condition.test(calls)) {
                expectations.remove(expectation);
                expectation.met.complete(List.copyOf(calls));
            }
        }
        return last;
    }

    /** {@return the calls so far, as soon as they meet a condition} */
    synchronized CompletableFuture<List<Call>> when(Predicate<List<Call>> condition) {
        CompletableFuture<List<Call>> met = new CompletableFuture<>();
        if (condition.test(calls)) {
            met.complete(List.copyOf(calls));
        } else {
            expectations.add(new Expectation(condition, met));
        }
        return met;
    }

    /** {@return the calls so far, as soon as they contain all of the given documents} */
    CompletableFuture<List<Call>> told(String... ids) {
        return when(so -> ids(so).containsAll(Set.of(ids)));
    }

    static Set<String> ids(List<Call> calls) {
        Set<String> ids = new HashSet<>();
        calls.forEach(call -> call.changes().forEach(change -> ids.add(change.id())));
        return ids;
    }

    /** Sets the result of the next calls. */
    synchronized void answerWith(CompletableFuture<Void> future) {
        answer = future;
    }

    synchronized boolean wasCalledWhileBusy() {
        return wasCalledWhileBusy;
    }

    synchronized int calls() {
        return calls.size();
    }
}
