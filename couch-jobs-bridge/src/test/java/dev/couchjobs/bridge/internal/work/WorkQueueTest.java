package dev.couchjobs.bridge.internal.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.document.WorkView;
import dev.couchjobs.bridge.internal.engine.TestBridges;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.node.ObjectNode;

/** Work items, for processes that share their jobs and for one that does not. */
class WorkQueueTest {
    private static final List<String> ITEMS = List.of("w1", "w2", "w3", "w4");

    static List<TestBridges> bridgeses() {
        return List.of(TestBridges.shared(2, "a", "b", "c"), TestBridges.replicated(Duration.ofMinutes(1), 2, "a"));
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void anItemIsDoneOnceAndDeleted(TestBridges bridges) {
        try (bridges) {
            bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'to': 'jo@example.org'}");
            bridges.advance(5);

            assertThat(bridges.done).hasSize(1);
            assertThat(bridges.at("a").read("w").current()).isEmpty();
            assertThat(bridges.at("a").read(WorkView.DESIGN_ID).current()).isPresent();
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void anItemIsDoneWhenItIsDue(TestBridges bridges) {
        try (bridges) {
            bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'date': '2026-01-01T00:01:00Z'}");
            bridges.advance(30);
            assertThat(bridges.done).isEmpty();

            bridges.advance(40);
            assertThat(bridges.done).hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void whatFailsIsTriedAgainAndThenStays(TestBridges bridges) {
        try (bridges) {
            bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'fail'}");
            bridges.advance(20);

            assertThat(bridges.done).hasSize(3);
            ObjectNode item = bridges.read("a", "w");
            assertThat(item.path("status").asString()).isEqualTo("fail");
            assertThat(item.path("claimed").asBoolean()).isTrue();
            assertThat(item.path("attempts").asInt()).isEqualTo(3);
            assertThat(item.path("reason").asString()).isEqualTo("exit status 1: no luck");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void otherKindsAreLeftAlone(TestBridges bridges) {
        try (bridges) {
            bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'scrape'}");
            bridges.advance(20);

            assertThat(bridges.done).isEmpty();
            assertThat(bridges.read("a", "w").has("claimed")).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aClaimOfOnesOwnForWhichThereIsNoJobIsTakenUp(TestBridges bridges) {
        try (bridges) {
            bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'claimed': true, 'claimed_by': 'a'}");
            bridges.advance(5);

            assertThat(bridges.done).hasSize(1);
            assertThat(bridges.at("a").read("w").current()).isEmpty();
        }
    }

    @Test
    void whatALostNodeHasClaimedWaitsForAnotherThoughItsDocumentIsChanged() {
        try (TestBridges bridges = TestBridges.shared(2, "a", "b")) {
            for (String id : ITEMS) {
                bridges.put("a", "{'_id': '" + id + "', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 60'}");
            }
            bridges.process("a").kill();
            bridges.advance(20); // its claims have been released, and no other process exists
            for (String id : ITEMS) {
                bridges.put("b", bridges.read("b", id).put("seen", true).toString());
            }
            bridges.advance(200);

            assertThat(bridges.done).filteredOn(line -> line.startsWith("b ")).hasSize(4);
            assertThat(ITEMS).allMatch(id -> bridges.at("b").read(id).current().isEmpty());
        }
    }

    @Test
    void aClaimOfAProgramThatDoesNotSayItsNameIsNotTakenForOnesOwn() {
        try (TestBridges bridges = TestBridges.shared(2, "a")) {
            bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'date': '2026-01-01T00:00:10Z'}");
            bridges.couch.crash(bridges.server("a"), Duration.ofSeconds(30));
            bridges.advance(15); // the item is due, and its node requests it
            bridges.at("a").write(bridges.read("a", "w").put("claimed", true));
            bridges.advance(60);

            assertThat(bridges.done).isEmpty();
            assertThat(bridges.read("a", "w").has("claimed_by")).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void anItemThatMayNotBeDeletedIsDoneOnceAndSaysSo(TestBridges bridges) {
        try (bridges) {
            bridges.servers.forEach((node, server) -> bridges.at(node)
                    .validate(body -> Optional.of("nobody deletes here").filter(why -> body.has("_deleted"))));
            bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email'}");
            bridges.advance(200);

            assertThat(bridges.done).hasSize(1);
            ObjectNode item = bridges.read("a", "w");
            assertThat(item.path("status").asString()).isEqualTo("fail");
            assertThat(item.path("reason").asString()).contains("It is done", "nobody deletes here");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void anItemOfWhichNothingMayBeWrittenButTheClaimIsTriedOnceAndStaysClaimed(TestBridges bridges) {
        try (bridges) {
            bridges.servers.forEach((node, server) -> bridges.at(node)
                    .validate(body -> Optional.of("only claims")
                            .filter(why -> body.path("type").asString("").equals("WorkItem")
                                    && (body.hasNonNull("status") || body.has("_deleted")))));
            bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'fail'}");
            bridges.advance(200);

            assertThat(bridges.done).hasSize(1);
            assertThat(bridges.read("a", "w").path("claimed").asBoolean()).isTrue();
        }
    }

    @Test
    void whatCameOfAnItemIsWrittenAfterACrashAndTheWorkNotDoneAgain() {
        try (TestBridges bridges = TestBridges.replicated(Duration.ofMinutes(1), 2, "a")) {
            bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 5'}");
            bridges.couch.crash(bridges.server("a"), Duration.ofSeconds(30));
            bridges.advance(10); // the work is done, and CouchDB is not reachable
            bridges.process("a").kill();
            bridges.start("a");
            bridges.advance(90);

            assertThat(bridges.done).containsExactly("a sleep 5");
            assertThat(bridges.at("a").read("w").current()).isEmpty();
        }
    }

    @Test
    void whatCameOfAnItemIsKeptThoughAPersonTakesItAndGivesItBack() {
        try (TestBridges bridges = TestBridges.replicated(Duration.ofMinutes(1), 2, "a")) {
            doneAndNotWritten(bridges);
            for (String id : List.of("long 1", "long 2")) { // so that the job of the item stays pending
                bridges.put("a", "{'_id': '" + id + "', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 600'}");
            }
            bridges.start("a");
            bridges.advance(60);
            bridges.put("a", bridges.read("a", "w").put("claimed_by", "jo").toString());
            bridges.advance(5);
            bridges.put("a", bridges.read("a", "w").put("claimed_by", "a").toString());
            bridges.advance(700);

            assertThat(bridges.done).containsOnlyOnce("a sleep 5");
            assertThat(bridges.at("a").read("w").current()).isEmpty();
        }
    }

    @Test
    void whatCameOfAnItemIsKeptThoughAShardThatLagsBehindShowsItOpen() {
        try (TestBridges bridges = TestBridges.replicated(Duration.ofMinutes(1), 2, "a")) {
            StoredDocument open = doneAndNotWritten(bridges);
            bridges.at("a").lag(now -> now.id().equals("w") ? open : now);
            bridges.at("a").validate(body -> {
                bridges.at("a").lag(now -> now); // writes act on the newest version
                return Optional.empty();
            });
            bridges.start("a");
            bridges.advance(60);

            assertThat(bridges.done).containsOnlyOnce("a sleep 5");
            assertThat(bridges.at("a").read("w").current()).isEmpty();
        }
    }

    /** Lets a node work on an item and end before it can write to CouchDB. {@return the item before its claim} */
    private static StoredDocument doneAndNotWritten(TestBridges bridges) {
        bridges.at("a").write(TestBridges.json("{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 5'}"));
        StoredDocument open = bridges.at("a").read("w");
        bridges.advance(3);
        bridges.couch.crash(bridges.server("a"), Duration.ofSeconds(30));
        bridges.advance(10);
        bridges.kill("a");
        bridges.advance(30);
        assertThat(bridges.done).containsExactly("a sleep 5");
        assertThat(bridges.read("a", "w").path("claimed_by").asString()).isEqualTo("a");
        return open;
    }

    /** For example behind a shard that lags for long. */
    @Test
    void aClaimThatAlwaysConflictsIsTriedWithGrowingPauses() {
        try (TestBridges bridges = TestBridges.replicated(Duration.ofMinutes(1), 2, "a")) {
            bridges.at("a").write(TestBridges.json("{'_id': 'w', 'type': 'WorkItem', 'worker': 'email'}"));
            AtomicInteger reads = changedUnseen(bridges);
            bridges.advance(60);
            assertThat(reads.get()).isBetween(5, 40);
            assertThat(bridges.done).isEmpty();

            bridges.at("a").lag(now -> now);
            bridges.advance(15);
            assertThat(bridges.done).hasSize(1);
            assertThat(bridges.at("a").read("w").current()).isEmpty();
        }
    }

    @Test
    void anOutcomeThatAlwaysConflictsIsWrittenWithGrowingPauses() {
        try (TestBridges bridges = TestBridges.replicated(Duration.ofMinutes(1), 2, "a")) {
            bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 5'}");
            bridges.advance(2); // it is claimed
            AtomicInteger reads = changedUnseen(bridges);
            bridges.advance(60);
            assertThat(reads.get()).isBetween(5, 40);
            assertThat(bridges.read("a", "w").path("claimed_by").asString()).isEqualTo("a");

            bridges.at("a").lag(now -> now);
            bridges.advance(15);
            assertThat(bridges.done).containsExactly("a sleep 5");
            assertThat(bridges.at("a").read("w").current()).isEmpty();
        }
    }

    /** Lets a person change an item while its node reads it as it was. {@return counts the reads} */
    private static AtomicInteger changedUnseen(TestBridges bridges) {
        StoredDocument before = bridges.at("a").read("w");
        AtomicInteger reads = new AtomicInteger();
        bridges.at("a").write(bridges.read("a", "w").put("note", "by a person"));
        bridges.at("a").lag(now -> {
            if (!now.id().equals("w")) {
                return now;
            }
            reads.incrementAndGet();
            return before;
        });
        return reads;
    }

    @Test
    void anItemThatIsPutAnewIsDoneAnew() {
        try (TestBridges bridges = TestBridges.replicated(Duration.ofMinutes(1), 2, "a")) {
            for (int i = 0; i < 2; i++) {
                bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 5'}");
                bridges.advance(10);
            }
            bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 5'}");
            bridges.advance(2);
            bridges.process("a").kill();
            bridges.start("a");
            bridges.advance(90);

            assertThat(bridges.done).hasSize(4);
            assertThat(bridges.at("a").read("w").current()).isEmpty();
        }
    }

    @Test
    void stepsDoNotWaitForWorkItems() {
        try (TestBridges bridges = TestBridges.replicated(Duration.ofMinutes(1), 1, "a")) {
            for (String id : ITEMS) {
                bridges.put("a", "{'_id': '" + id + "', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 600'}");
            }
            bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'any', 'do': 'quick'}]}");
            bridges.advance(5);

            assertThat(bridges.done).containsExactly("a sleep 600", "a sleep 600", "a quick");
        }
    }
}
