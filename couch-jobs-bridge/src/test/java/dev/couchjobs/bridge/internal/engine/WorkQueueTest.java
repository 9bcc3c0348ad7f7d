package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.document.WorkView;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.node.ObjectNode;

/** Work items, worked on by processes that share their jobs and by one that does not. */
class WorkQueueTest {
    private static final List<String> ITEMS = List.of("w1", "w2", "w3", "w4");

    static List<World> worlds() {
        return List.of(World.shared(2, "a", "b", "c"), World.replicated(Duration.ofMinutes(1), 2, "a"));
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void anItemIsDoneOnceAndDeleted(World world) {
        try (world) {
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'to': 'jo@example.org'}");
            world.advance(5);

            assertThat(world.done).hasSize(1);
            assertThat(world.at("a").read("w").current()).isEmpty();
            assertThat(world.at("a").read(WorkView.DESIGN_ID).current()).isPresent();
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void anItemIsDoneWhenItIsDue(World world) {
        try (world) {
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'date': '2026-01-01T00:01:00Z'}");
            world.advance(30);
            assertThat(world.done).isEmpty();

            world.advance(40);
            assertThat(world.done).hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void whatFailsIsTriedAgainAndThenStays(World world) {
        try (world) {
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'fail'}");
            world.advance(20);

            assertThat(world.done).hasSize(3);
            ObjectNode item = world.read("a", "w");
            assertThat(item.path("status").asString()).isEqualTo("fail");
            assertThat(item.path("claimed").asBoolean()).isTrue();
            assertThat(item.path("attempts").asInt()).isEqualTo(3);
            assertThat(item.path("reason").asString()).isEqualTo("exit status 1: no luck");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void otherKindsAreLeftAlone(World world) {
        try (world) {
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'scrape'}");
            world.advance(20);

            assertThat(world.done).isEmpty();
            assertThat(world.read("a", "w").has("claimed")).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aClaimOfOnesOwnForWhichThereIsNoJobIsTakenUp(World world) {
        try (world) {
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'claimed': true, 'claimed_by': 'a'}");
            world.advance(5);

            assertThat(world.done).hasSize(1);
            assertThat(world.at("a").read("w").current()).isEmpty();
        }
    }

    @Test
    void whatALostNodeHasClaimedWaitsForAnotherThoughItsDocumentIsChanged() {
        try (World world = World.shared(2, "a", "b")) {
            for (String id : ITEMS) {
                world.put("a", "{'_id': '" + id + "', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 60'}");
            }
            world.process("a").kill();
            world.advance(20); // its claims are free by now, and nobody is
            for (String id : ITEMS) {
                world.put("b", world.read("b", id).put("seen", true).toString());
            }
            world.advance(200);

            assertThat(world.done).filteredOn(line -> line.startsWith("b ")).hasSize(4);
            assertThat(ITEMS).allMatch(id -> world.at("b").read(id).current().isEmpty());
        }
    }

    @Test
    void aClaimOfAProgramThatDoesNotSayItsNameIsNotTakenForOnesOwn() {
        try (World world = World.shared(2, "a")) {
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'date': '2026-01-01T00:00:10Z'}");
            world.couch.crash(world.server("a"), Duration.ofSeconds(30));
            world.advance(15); // the item is due, and its node asks for it
            world.at("a").write(world.read("a", "w").put("claimed", true));
            world.advance(60);

            assertThat(world.done).isEmpty();
            assertThat(world.read("a", "w").has("claimed_by")).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void anItemThatMayNotBeDeletedIsDoneOnceAndSaysSo(World world) {
        try (world) {
            world.servers.forEach((node, server) -> world.at(node)
                    .validate(body -> Optional.of("nobody deletes here").filter(why -> body.has("_deleted"))));
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email'}");
            world.advance(200);

            assertThat(world.done).hasSize(1);
            ObjectNode item = world.read("a", "w");
            assertThat(item.path("status").asString()).isEqualTo("fail");
            assertThat(item.path("reason").asString()).contains("It is done", "nobody deletes here");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void anItemOfWhichNothingMayBeWrittenButTheClaimIsTriedOnceAndStaysClaimed(World world) {
        try (world) {
            world.servers.forEach((node, server) -> world.at(node)
                    .validate(body -> Optional.of("only claims")
                            .filter(why -> body.path("type").asString("").equals("WorkItem")
                                    && (body.hasNonNull("status") || body.has("_deleted")))));
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'fail'}");
            world.advance(200);

            assertThat(world.done).hasSize(1);
            assertThat(world.read("a", "w").path("claimed").asBoolean()).isTrue();
        }
    }

    @Test
    void whatCameOfAnItemIsWrittenAfterACrashAndTheWorkNotDoneAgain() {
        try (World world = World.replicated(Duration.ofMinutes(1), 2, "a")) {
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 5'}");
            world.couch.crash(world.server("a"), Duration.ofSeconds(30));
            world.advance(10); // it is done, and CouchDB cannot be told
            world.process("a").kill();
            world.start("a");
            world.advance(90);

            assertThat(world.done).containsExactly("a sleep 5");
            assertThat(world.at("a").read("w").current()).isEmpty();
        }
    }

    @Test
    void whatCameOfAnItemIsKeptThoughAPersonTakesItAndGivesItBack() {
        try (World world = World.replicated(Duration.ofMinutes(1), 2, "a")) {
            doneAndNotWritten(world);
            for (String id : List.of("long 1", "long 2")) { // so that the job of the item stays pending
                world.put("a", "{'_id': '" + id + "', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 600'}");
            }
            world.start("a");
            world.advance(60);
            world.put("a", world.read("a", "w").put("claimed_by", "jo").toString());
            world.advance(5);
            world.put("a", world.read("a", "w").put("claimed_by", "a").toString());
            world.advance(700);

            assertThat(world.done).containsOnlyOnce("a sleep 5");
            assertThat(world.at("a").read("w").current()).isEmpty();
        }
    }

    @Test
    void whatCameOfAnItemIsKeptThoughAShardThatLagsBehindShowsItOpen() {
        try (World world = World.replicated(Duration.ofMinutes(1), 2, "a")) {
            StoredDocument open = doneAndNotWritten(world);
            world.at("a").lag(now -> now.id().equals("w") ? open : now);
            world.at("a").validate(body -> {
                world.at("a").lag(now -> now); // who writes meets what is there
                return Optional.empty();
            });
            world.start("a");
            world.advance(60);

            assertThat(world.done).containsOnlyOnce("a sleep 5");
            assertThat(world.at("a").read("w").current()).isEmpty();
        }
    }

    /**
     * Has an item done by a node that ends before it can tell CouchDB. {@return the item as it was before its claim}
     */
    private static StoredDocument doneAndNotWritten(World world) {
        world.at("a").write(World.json("{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 5'}"));
        StoredDocument open = world.at("a").read("w");
        world.advance(3);
        world.couch.crash(world.server("a"), Duration.ofSeconds(30));
        world.advance(10);
        world.kill("a");
        world.advance(30);
        assertThat(world.done).containsExactly("a sleep 5");
        assertThat(world.read("a", "w").path("claimed_by").asString()).isEqualTo("a");
        return open;
    }

    @Test
    void anItemThatIsPutAnewIsDoneAnew() {
        try (World world = World.replicated(Duration.ofMinutes(1), 2, "a")) {
            for (int i = 0; i < 2; i++) {
                world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 5'}");
                world.advance(10);
            }
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 5'}");
            world.advance(2);
            world.process("a").kill();
            world.start("a");
            world.advance(90);

            assertThat(world.done).hasSize(4);
            assertThat(world.at("a").read("w").current()).isEmpty();
        }
    }

    @Test
    void stepsDoNotWaitForWorkItems() {
        try (World world = World.replicated(Duration.ofMinutes(1), 1, "a")) {
            for (String id : ITEMS) {
                world.put("a", "{'_id': '" + id + "', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 600'}");
            }
            world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'any', 'do': 'quick'}]}");
            world.advance(5);

            assertThat(world.done).containsExactly("a sleep 600", "a sleep 600", "a quick");
        }
    }
}
